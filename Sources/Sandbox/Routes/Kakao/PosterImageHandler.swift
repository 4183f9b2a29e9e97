import Imaging
import WebServer

/// Serves the images that the image search refers to: posters and thumbnails, drawn on request, and their substitutes.
struct PosterImageHandler: Sendable {
    let world: World

    static func serves(_ path: String) -> Bool {
        ["/posters/", "/thumbnails/"].contains { path.hasPrefix($0) }
    }

    /// Serves `/posters/CODE.jpg` (the movie's own poster), `/posters/CODE-N.jpg|png` (hit N of a search) and
    /// `/thumbnails/CODE-N.jpg`.
    func respond(to request: WebRequest) -> WebResponse {
        guard request.method == "GET", let address = Address(request.path),
            let id = SimulatedMovieID(code: address.code)
        else { return .html(HTMLPage.notFound, status: 404) }
        let movie = SimulatedMovie(id, seed: world.seed)
        let number = address.number ?? movie.poster?.number ?? 1
        guard (1...max(1, movie.imageCount)).contains(number) else {
            return .html(HTMLPage.notFound, status: 404)
        }
        let hit = ImageHit(of: movie, number: number)
        switch (address.folder, hit.content) {
        case ("thumbnails", _): return image(Bitmap(of: hit, width: 130, height: 130), isPNG: false)
        case (_, .image): return image(Bitmap(of: hit, width: hit.width, height: hit.height), isPNG: hit.isPNG)
        case (_, .missing): return .html(HTMLPage.notFound, status: 404)
        case (_, .htmlPage):
            return WebResponse(contentType: "image/jpeg", body: .bytes(HTMLPage.removedImage))
        case (_, .forbidden): return .html(HTMLPage.notFound, status: 403)
        }
    }

    private func image(_ bitmap: Bitmap, isPNG: Bool) -> WebResponse {
        WebResponse(
            contentType: isPNG ? "image/png" : "image/jpeg",
            body: .bytes(isPNG ? bitmap.encodePNG() : bitmap.encodeJPEG()))
    }

    private struct Address {
        let folder: String
        let code: Substring
        let number: Int?

        init?(_ path: String) {
            let parts = path.split(separator: "/")
            guard parts.count == 2 else { return nil }
            folder = String(parts[0])
            let name = parts[1].prefix { $0 != "." }.split(separator: "-", omittingEmptySubsequences: false)
            guard let code = name.first, name.count <= 2 else { return nil }
            self.code = code
            number = name.count == 2 ? Int(name[1]) : nil
            guard name.count == 1 || number != nil else { return nil }
        }
    }
}

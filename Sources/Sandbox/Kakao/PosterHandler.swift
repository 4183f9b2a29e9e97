import WebServer

/// The pictures that the image search leads to: posters and thumbnails, drawn when asked for, and what is there
/// instead.
struct PosterHandler: Sendable {
    let world: World

    /// Whether a path is one of the gallery's.
    static func serves(_ path: String) -> Bool {
        ["/posters/", "/thumbnails/", "/pages/"].contains { path.hasPrefix($0) }
    }

    /// Answers `/posters/CODE.jpg` (the film's own), `/posters/CODE-N.jpg|png` (the N-th hit of a search),
    /// `/thumbnails/CODE-N.jpg` and `/pages/CODE-N`.
    func answer(_ request: WebRequest) -> WebResponse {
        guard request.method == "GET", let address = Address(request.path),
            let id = SimulatedMovieID(code: address.code)
        else { return .html(MaintenancePage.notFound, status: 404) }
        let movie = SimulatedMovie(id, seed: world.seed)
        let number = address.number ?? movie.poster?.number ?? 1
        guard (1...max(1, movie.imageCount)).contains(number) else {
            return .html(MaintenancePage.notFound, status: 404)
        }
        let hit = ImageHit(of: movie, number: number)
        switch (address.shelf, hit.content) {
        case ("pages", _): return .html(MaintenancePage.removedImage)
        case ("thumbnails", _): return image(Drawing(of: hit, width: 130, height: 130), isPNG: false)
        case (_, .image): return image(Drawing(of: hit, width: hit.width, height: hit.height), isPNG: hit.isPNG)
        case (_, .nothing): return .html(MaintenancePage.notFound, status: 404)
        case (_, .page):
            return WebResponse(contentType: "image/jpeg", body: .bytes(MaintenancePage.removedImage))
        case (_, .forbidden): return .html(MaintenancePage.notFound, status: 403)
        }
    }

    private func image(_ drawing: Drawing, isPNG: Bool) -> WebResponse {
        WebResponse(contentType: isPNG ? "image/png" : "image/jpeg", body: .bytes(drawing.encoded(isPNG: isPNG)))
    }

    /// A path of the gallery, taken apart.
    private struct Address {
        let shelf: String
        let code: Substring
        let number: Int?

        init?(_ path: String) {
            let parts = path.split(separator: "/")
            guard parts.count == 2 else { return nil }
            shelf = String(parts[0])
            let name = parts[1].prefix { $0 != "." }.split(separator: "-", omittingEmptySubsequences: false)
            guard let code = name.first, name.count <= 2 else { return nil }
            self.code = code
            number = name.count == 2 ? Int(name[1]) : nil
            guard name.count == 1 || number != nil else { return nil }
        }
    }
}

import Imaging
import WebServer

/// Serves the images that the image search refers to: posters and thumbnails, drawn on request, and their substitutes.
struct PosterImageHandler: Sendable {
    let world: World

    /// Serves `/posters/CODE.jpg` (the movie's own poster), `/posters/CODE-N.jpg|png` (hit N of a search) and
    /// `/thumbnails/CODE-N.jpg`.
    func respond(to request: WebRequest) -> WebResponse {
        let address = request.path.wholeMatch(of: /\/(?<folder>\w+)\/(?<code>\w+)(-(?<number>\d{1,9}))?\.\w+/)
        guard request.method == "GET", let address, let id = SimulatedMovieID(code: address.code) else {
            return .html(HTMLPage.notFound, status: 404)
        }
        let movie = SimulatedMovie(id, seed: world.seed)
        let number = address.number.flatMap { Int($0) } ?? movie.poster?.number ?? 1
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
}

// MARK: - Drawing

extension Bitmap {
    /// Draws a hit's image: a moon over three ranges of hills. The images of a movie share their colours and differ in the
    /// scene; both follow from the movie's random numbers.
    init(of hit: ImageHit, width: Int, height: Int) {
        var random = hit.movie.random(for: .poster)
        let hue = random.unit()
        let isNight = random.chance(0.55)
        let sky = (0...15).map { step in
            Color(
                hue: hue + 0.01 * Double(step), saturation: 0.7, brightness: (isNight ? 0.2 : 0.7) + 0.02 * Double(step)
            )
        }
        let moon = Color(hue: hue + 0.55, saturation: 0.3, brightness: 1)
        let hills = [0.5, 0.3, 0.14].map { Color(hue: hue + 0.08, saturation: 0.7, brightness: $0) }
        random = random.branch(hit.number)
        let (moonX, moonY, radius) = (
            random.real(in: 0.2...0.8), random.real(in: 0.2...0.5), random.real(in: 0.09...0.24)
        )
        let peaks = hills.indices.map { range in
            (x: random.unit(), y: 0.55 + 0.14 * Double(range), slope: random.real(in: 0.1...0.5))
        }
        self.init(width: width, height: height) { column, row in
            let (x, y) = (Double(column) / Double(width), Double(row) / Double(height))
            if let hill = peaks.lastIndex(where: { y > $0.y + $0.slope * abs(x - $0.x) }) { return hills[hill] }
            let (across, down) = (x - moonX, (y - moonY) * Double(height) / Double(width))
            return across * across + down * down < radius * radius ? moon : sky[Int(y * 16)]
        }
    }

    /// Draws a product image: a box on a table. Its size and colours follow from the image's name.
    init(ofProductImage name: String, side: Int) {
        var random = SeededRandom(seed: name.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) })
        let hue = random.unit()
        let wall = Color(hue: hue, saturation: 0.2, brightness: 0.9)
        let table = Color(hue: hue, saturation: 0.4, brightness: 0.5)
        let box = Color(hue: 1 - hue, saturation: 0.7, brightness: 0.8)
        let half = Int(Double(side) * random.real(in: 0.2...0.3))
        self.init(width: side, height: side) { x, y in
            let floor = side * 78 / 100
            if abs(x - side / 2) < half, (floor - 2 * half..<floor).contains(y) { return box }
            return y < side * 72 / 100 ? wall : table
        }
    }
}

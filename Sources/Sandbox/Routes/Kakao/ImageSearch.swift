import BoxOffice
import JSONCoding

/// A page of the hits of an image search.
struct ImagePage: Sendable {
    let total: Int
    let hits: [ImageHit]
    let isEnd: Bool
    let base: String

    /// Makes the page of a movie's images that a query asks for; it is empty if `movie` is nil.
    init(of movie: SimulatedMovie?, _ query: ImageQuery, base: String) {
        let total = movie?.imageCount ?? 0
        let first = (query.page - 1) * query.size
        let last = min(first + query.size, total)
        self.total = total
        self.base = base
        isEnd = last >= total
        guard let movie, first < last else {
            hits = []
            return
        }
        hits = (first + 1...last).map { ImageHit(of: movie, number: $0) }
    }

    var body: [UInt8] {
        let documents = hits.map { hit in
            JSONTree.object([
                ("collection", .string(hit.collection)), ("datetime", .string(hit.datetime)),
                ("display_sitename", .string(hit.site)),
                ("doc_url", "\(base)/pages/\(hit.movie.code)-\(hit.number)"), ("height", .number(hit.height)),
                ("image_url", .string(base + hit.imagePath)),
                ("thumbnail_url", .string(base + hit.thumbnailPath)), ("width", .number(hit.width)),
            ])
        }
        return JSONTree.object([
            ("documents", .array(documents)),
            (
                "meta",
                .object([
                    ("is_end", .bool(isEnd)), ("pageable_count", .number(total)), ("total_count", .number(total * 3)),
                ])
            ),
        ]).json
    }
}

/// The validated parameters of an image search.
struct ImageQuery: Sendable {
    var text: String
    var page: Int
    var size: Int
}

/// An image that the search finds for a movie.
struct ImageHit: Sendable {
    /// What a client really gets at the image's address.
    enum Content: Sendable {
        /// A poster.
        case image
        /// Status 404: the image was deleted.
        case missing
        /// An HTML page with the media type of an image.
        case htmlPage
        /// Status 403: the site forbids links from outside.
        case forbidden
    }

    let movie: SimulatedMovie
    /// The position among the movie's hits, from 1.
    let number: Int
    let content: Content
    let isPNG: Bool
    let width: Int
    let height: Int
    let collection: String
    let site: String
    let datetime: String

    /// Makes hit `number` of a movie; it follows from the movie's random numbers alone.
    init(of movie: SimulatedMovie, number: Int) {
        var random = movie.random(for: .images).branch(number)
        self.movie = movie
        self.number = number
        // The first hit of every fourth movie is unusable, so that a client that does not check it fails.
        switch random.unit() {
        case ..<(number == 1 ? 0.12 : 0.05): content = .missing
        case ..<(number == 1 ? 0.2 : 0.08): content = .htmlPage
        case ..<(number == 1 ? 0.25 : 0.1): content = .forbidden
        default: content = .image
        }
        isPNG = random.chance(0.2)
        width = random.pick([280, 350, 420, 560])
        height = width * 10 / 7
        (collection, site) = random.pick([
            ("blog", "티스토리"), ("blog", "네이버블로그"), ("cafe", "Daum카페"), ("news", "영화소식"), ("etc", ""),
            ("museum", "필름보관소"),
        ])
        let day = movie.opening - random.integer(in: 0...40)
        let hour = random.integer(in: 10...23)
        datetime = random.chance(0.05) ? "" : "\(day)T\(hour):\(random.integer(in: 10...59)):00.000+09:00"
    }

    var imagePath: String { "/posters/\(movie.code)-\(number).\(isPNG ? "png" : "jpg")" }
    var thumbnailPath: String { "/thumbnails/\(movie.code)-\(number).jpg" }
}

extension SimulatedMovie {
    /// The number of images that the search finds; 0 for some movies.
    var imageCount: Int {
        var random = random(for: .images)
        return random.chance(0.06) ? 0 : random.integer(in: 3...120)
    }

    /// The first hit that is a real image: the movie's poster.
    var poster: ImageHit? {
        (1...max(1, imageCount)).lazy.map { ImageHit(of: self, number: $0) }.first { $0.content == .image }
    }
}

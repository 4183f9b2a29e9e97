import BoxOffice
import FoundationEssentials
import JSONCoding

/// The validated parameters of an image search.
struct ImageQuery: Sendable {
    var text: String
    var page: Int
    var size: Int

    /// Returns the response body with the page that the query asks for of all its hits.
    func body(_ hits: [ImageHit], base: String) -> [UInt8] {
        let first = (page - 1) * size
        let documents = hits.dropFirst(first).prefix(size).map { hit in
            JSONTree.object([
                ("collection", .string(hit.collection)), ("datetime", .string(hit.datetime)),
                ("display_sitename", .string(hit.site)),
                ("doc_url", .string(base + hit.pagePath)), ("height", .number(hit.height)),
                ("image_url", .string(base + hit.imagePath)),
                ("thumbnail_url", .string(base + hit.thumbnailPath)), ("width", .number(hit.width)),
            ])
        }
        return JSONTree.object([
            ("documents", .array(documents)),
            (
                "meta",
                .object([
                    ("is_end", .bool(first + size >= hits.count)), ("pageable_count", .number(hits.count)),
                    ("total_count", .number(hits.count * 3)),
                ])
            ),
        ]).json
    }
}

extension World {
    /// Returns the hits of a search, best match first.
    ///
    /// As in life, the hits of all movies of the title are mixed, those of the newest movie more at the front, and those of
    /// the one whose year or director the search names most.
    func imageHits(for query: String, at instant: Date) -> [ImageHit] {
        let (movies, words) = search(query, as: PublishedView(at: instant))
        var ranked: [(place: Double, hit: ImageHit)] = []
        let newest = movies.max { $0.opening < $1.opening }
        for movie in movies {
            let facts = movie.facts
            let names =
                [facts.year, String(movie.opening.year)]
                + facts.directors.flatMap { $0.name.split(separator: " ") }
                .map(String.init)
            let isNamed = words.contains { names.contains(String($0)) }
            let step = isNamed ? 0.1 : movie.id == newest?.id ? 0.3 : 1
            for hit in movie.imageHits { ranked.append((Double(hit.number) * step, hit)) }
        }
        return ranked.sorted { ($0.place, $0.hit.imagePath) < ($1.place, $1.hit.imagePath) }.map(\.hit)
    }
}

/// An image that the search finds.
struct ImageHit: Sendable {
    /// What a client really gets at the image's address.
    enum Content: Sendable {
        /// A poster, or a still.
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
    /// Whether it is a still, which is wide, and no poster.
    let isStill: Bool
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
        let size = random.pick([280, 350, 420, 560])
        (collection, site) = random.pick([
            ("blog", "티스토리"), ("blog", "네이버블로그"), ("cafe", "Daum카페"), ("news", "영화소식"), ("etc", ""),
            ("museum", "필름보관소"),
        ])
        let day = movie.opening - random.integer(in: 0...40)
        let hour = random.integer(in: 10...23)
        datetime = random.chance(0.05) ? "" : "\(day)T\(hour):\(random.integer(in: 10...59)):00.000+09:00"
        var form = movie.random(for: .images).branch(number).branch(1)
        isStill = form.chance(0.3)
        (width, height) = isStill ? (size * 10 / 6, size) : (size, size * 10 / 7)
    }

    var imagePath: String { "/posters/\(movie.code)-\(number).\(isPNG ? "png" : "jpg")" }
    var thumbnailPath: String { "/thumbnails/\(movie.code)-\(number).jpg" }
    /// The path of the page that shows the image, which is not served.
    var pagePath: String { "/pages/\(movie.code)-\(number)" }
}

extension SimulatedMovie {
    /// The number of images that the search finds; 0 for some movies.
    var imageCount: Int {
        var random = random(for: .images)
        return random.chance(0.06) ? 0 : random.integer(in: 3...120)
    }

    /// The images of the movie that the search finds.
    var imageHits: some Sequence<ImageHit> {
        (1..<imageCount + 1).lazy.map { ImageHit(of: self, number: $0) }
    }

    /// The first hit that is a real image and no still: the movie's poster.
    var poster: ImageHit? {
        imageHits.first { $0.content == .image && !$0.isStill }
    }
}

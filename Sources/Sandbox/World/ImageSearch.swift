import BoxOffice
import Concurrency
import FoundationEssentials
import JSONCoding

struct ImageQuery: Sendable {
    var text: String
    var page: Int
    var size: Int

    func body(_ hits: [ImageHit], base: String) -> [UInt8] {
        let first = (page - 1) * size
        let documents = hits.dropFirst(first).prefix(size).map { hit -> OrderedObject in
            [
                "collection": hit.collection, "datetime": hit.datetime, "display_sitename": hit.site,
                "doc_url": "\(base)\(hit.pagePath)", "height": hit.height, "image_url": "\(base)\(hit.imagePath)",
                "thumbnail_url": "\(base)\(hit.thumbnailPath)", "width": hit.width,
            ]
        }
        let meta: OrderedObject = [
            "is_end": first + size >= hits.count, "pageable_count": hits.count, "total_count": hits.count * 3,
        ]
        return (["documents": documents, "meta": meta] as OrderedObject).json
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
                + facts.directors.flatMap { $0.name.split(separator: " ") }.map(String.init)
            let isNamed = words.contains { names.contains(String($0)) }
            let step = isNamed ? 0.1 : movie.id == newest?.id ? 0.3 : 1
            for hit in movie.imageHits { ranked.append((Double(hit.number) * step, hit)) }
        }
        return ranked.sorted { ($0.place, $0.hit.imagePath) < ($1.place, $1.hit.imagePath) }.map(\.hit)
    }

    /// Returns the movies of the title that a search begins with, and the words behind it, without "movie" and "poster".
    func search(
        _ query: String, as publishedView: PublishedView
    ) -> (movies: [SimulatedMovie], words: ArraySlice<Substring>) {
        let words = Self.searchWords(query)
        let titles = titles(upTo: publishedView.newestWeek)
        for count in stride(from: words.count, to: 0, by: -1) {
            guard let ids = titles[words.prefix(count).joined(separator: " ")] else { continue }
            let movies = ids.map { SimulatedMovie($0, seed: seed) }.filter { publishedView.lists($0) }
            return (movies, words.dropFirst(count))
        }
        return ([], words[...])
    }

    /// Returns the movies that can appear in charts, by the words of their titles.
    func titles(upTo newest: ReleaseWeek) -> [String: [SimulatedMovieID]] {
        if let index = titleIndex.withLock({ $0 }), index.newest == newest { return index.movies }
        var movies: [String: [SimulatedMovieID]] = [:]
        let first = ReleaseWeek(of: .firstChart - TheatricalRun.longest)
        // Of the movies before the first chart, only re-releases can appear in a chart.
        let longestGap = SimulatedMovie.rereleaseGaps.max() ?? 0
        for number in stride(from: first.number - longestGap, through: newest.number, by: 1) {
            for slot in 0..<SimulatedMovieID.slots {
                let id = SimulatedMovieID(week: ReleaseWeek(number: number), slot: slot)
                guard number >= first.number || isRereleased(id, after: first) else { continue }
                let title = Self.searchWords(MovieTitle(of: id, seed: seed).korean).joined(separator: " ")
                movies[title, default: []].append(id)
            }
        }
        titleIndex.withLock { [movies] in $0 = (newest, movies) }
        return movies
    }

    private func isRereleased(_ id: SimulatedMovieID, after first: ReleaseWeek) -> Bool {
        SimulatedMovie.weeksToRerelease(of: id, seed: seed).map { id.week.number + $0 >= first.number } ?? false
    }

    /// Returns the words of a search without "movie" and "poster", and without angle brackets.
    private static func searchWords(_ query: String) -> [Substring] {
        query.split { $0.isWhitespace || $0 == "<" || $0 == ">" }.filter { !["영화", "포스터"].contains($0) }
    }
}

struct ImageHit: Sendable {
    /// What a client really gets at the image's address.
    enum Content: Sendable {
        case image
        /// Status 404: the image was deleted.
        case missing
        /// An HTML page with the media type of an image.
        case htmlPage
        /// Status 403: the site forbids links from outside.
        case forbidden
    }

    let movie: SimulatedMovie
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

    var imageHits: some Sequence<ImageHit> {
        (1..<imageCount + 1).lazy.map { ImageHit(of: self, number: $0) }
    }

    /// The first hit that is a real image and no still: the movie's poster.
    var poster: ImageHit? {
        imageHits.first { $0.content == .image && !$0.isStill }
    }
}

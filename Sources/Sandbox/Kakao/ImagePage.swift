import JSONCoding

/// A page of an image search's hits.
struct ImagePage: Sendable {
    let total: Int
    let hits: [ImageHit]
    let isEnd: Bool
    let base: String

    /// The page of a film's pictures that a question asks for; empty without a film.
    init(of movie: SimulatedMovie?, _ question: ImageQuery, base: String) {
        let total = movie?.imageCount ?? 0
        let first = (question.page - 1) * question.size
        let last = min(first + question.size, total)
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

import BoxOffice

/// One picture that the image search knows of a film.
struct ImageHit: Sendable {
    /// What is really at the picture's address.
    enum Content: Sendable {
        /// A poster.
        case image
        /// Nothing any more.
        case nothing
        /// A page that says something, with a picture's media type.
        case page
        /// A picture that strangers may not see.
        case forbidden
    }

    let movie: SimulatedMovie
    /// The place among the film's hits, from 1.
    let number: Int
    let content: Content
    let isPNG: Bool
    let width: Int
    let height: Int
    let collection: String
    let site: String
    let datetime: String

    /// The hit at `number` of a film, as the film's dice have it.
    init(of movie: SimulatedMovie, number: Int) {
        var dice = movie.dice(for: .images).branch(number)
        self.movie = movie
        self.number = number
        // Every fourth film's best hit is not worth its place, so that whoever takes it blindly is found out.
        switch dice.unit() {
        case ..<(number == 1 ? 0.12 : 0.05): content = .nothing
        case ..<(number == 1 ? 0.2 : 0.08): content = .page
        case ..<(number == 1 ? 0.25 : 0.1): content = .forbidden
        default: content = .image
        }
        isPNG = dice.chance(0.2)
        width = dice.pick([280, 350, 420, 560])
        height = width * 10 / 7
        (collection, site) = dice.pick([
            ("blog", "티스토리"), ("blog", "네이버블로그"), ("cafe", "Daum카페"), ("news", "영화소식"), ("etc", ""),
            ("museum", "필름보관소"),
        ])
        let day = movie.opening - dice.integer(in: 0...40)
        let hour = dice.integer(in: 10...23)
        datetime = dice.chance(0.05) ? "" : "\(day)T\(hour):\(dice.integer(in: 10...59)):00.000+09:00"
    }

    var imagePath: String { "/posters/\(movie.code)-\(number).\(isPNG ? "png" : "jpg")" }
    var thumbnailPath: String { "/thumbnails/\(movie.code)-\(number).jpg" }
}

extension SimulatedMovie {
    /// How many pictures the image search has of the film; of some, none.
    var imageCount: Int {
        var dice = dice(for: .images)
        return dice.chance(0.06) ? 0 : dice.integer(in: 3...120)
    }

    /// The first hit that is a real picture, which stands for the film itself.
    var poster: ImageHit? {
        (1...max(1, imageCount)).lazy.map { ImageHit(of: self, number: $0) }.first { $0.content == .image }
    }
}

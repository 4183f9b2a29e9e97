import BoxOffice
import Text

/// What is known of a movie that a page with its poster may name.
struct PosterSubject: Sendable {
    /// The title without blanks around it.
    let title: String
    /// The English title, unless it is the Korean one.
    let titleEnglish: String?
    /// The years that a page may give: of production, of the opening, and those between them if these are few.
    let years: [Int]
    /// The directors' names, in Korean and in Latin letters.
    let directors: [String]
    /// The names of the first actors.
    let actors: [String]
    /// The searches to make, in order: with the year and the director, and with the title alone.
    let queries: [String]

    init(_ movie: Movie) {
        let title = movie.title.trimmed
        self.title = title
        titleEnglish = movie.titleEnglish.flatMap { $0.lowercased() == title.lowercased() ? nil : $0 }
        // A movie in the log of an earlier version may have any number as its year.
        let made = movie.productionYear.flatMap { Movie.years.contains($0) ? $0 : nil }
        let opened = movie.openDate?.year
        if let made, let opened, made < opened, opened - made <= Self.longestWait {
            years = Array(made...opened)
        } else {
            // A re-release opens decades later; the years between belong to others.
            years = Set([made, opened].compactMap(\.self)).sorted()
        }
        directors = movie.directors.flatMap { [$0.name, $0.nameEnglish].compactMap(\.self) }
        actors = movie.actors.prefix(Self.actorLimit).map(\.name)
        let known = [(made ?? opened).map(String.init), movie.directors.first?.name].compactMap(\.self)
        let plain = "\(title) 영화 포스터"
        queries = known.isEmpty ? [plain] : ["\(title) \(known.joined(separator: " ")) 영화 포스터", plain]
    }

    /// Maximum number of years between a movie's production and its opening; more means a re-release.
    private static let longestWait = 5
    /// Number of actors that are compared: those of whom a page about the movie names some.
    private static let actorLimit = 8
}

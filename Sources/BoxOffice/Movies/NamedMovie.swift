/// A movie as a chart names it, which may be as another one is named.
public struct NamedMovie: Hashable, Sendable {
    /// The movie's code.
    public let code: MovieCode
    /// The title.
    public let title: String
    /// The opening day.
    public let openDate: KoreanDate?

    /// Makes a named movie.
    public init(code: MovieCode, title: String, openDate: KoreanDate?) {
        self.code = code
        self.title = title
        self.openDate = openDate
    }

    /// Makes the movie of a chart's entry.
    public init(_ entry: ChartEntry) {
        self.init(code: entry.movieCode, title: entry.title, openDate: entry.openDate)
    }

    /// Whether two codes stand for one movie: the source corrects codes, and no two movies of one title open on one day.
    public func isSameMovie(as other: NamedMovie) -> Bool {
        code == other.code || title == other.title && openDate != nil && openDate == other.openDate
    }

    /// Returns the title, with what tells the movie from those of `others` that have the same: `괴물 (2006)`.
    ///
    /// That is the year of its opening; if another one opened in that year, the day; if on that day, or if the day is not
    /// known, its code.
    public func distinctTitle(among others: some Sequence<NamedMovie>) -> String {
        let namesakes = others.filter { $0.code != code && $0.title == title }
        guard !namesakes.isEmpty else { return title }
        guard let openDate, !namesakes.contains(where: { $0.openDate == openDate }) else { return "\(title) (\(code))" }
        let isYearShared = namesakes.contains { $0.openDate?.year == openDate.year }
        return isYearShared ? "\(title) (\(openDate))" : "\(title) (\(openDate.year))"
    }
}

/// One line of a chart: a film and its figures, exactly as the source has them.
///
/// Money is in won, changes are against the day (or week) before. A value that the source leaves empty is nil.
public struct ChartEntry: Hashable, Sendable {
    /// The line, from 1; unique within a chart, while ranks may be tied.
    public var line: Int
    /// The rank by admissions.
    public var rank: Int?
    /// How many ranks the film rose (positive) or fell; 0 for a new one.
    public var rankChange: Int?
    /// Whether the source marks the film as new in the ranking; it may be a re-release.
    public var isNew: Bool
    /// The film.
    public var movieCode: MovieCode
    /// The film's Korean title, without the blanks the source has around some.
    public var title: String
    /// The opening day; it lies after the chart's day for previews.
    public var openDate: KoreanDate?
    /// Takings.
    public var sales: Int?
    /// Share of the market's takings.
    public var salesShare: Percent?
    /// Change of takings in won.
    public var salesDelta: Int?
    /// Change of takings in percent.
    public var salesChange: Percent?
    /// Takings so far.
    public var salesTotal: Int?
    /// Admissions.
    public var audience: Int?
    /// Change of admissions.
    public var audienceDelta: Int?
    /// Change of admissions in percent.
    public var audienceChange: Percent?
    /// Admissions so far.
    public var audienceTotal: Int?
    /// Screens.
    public var screens: Int?
    /// Showings.
    public var showings: Int?

    /// Makes a line; figures start out unknown.
    public init(line: Int, rank: Int?, rankChange: Int?, isNew: Bool, movieCode: MovieCode, title: String) {
        self.line = line
        self.rank = rank
        self.rankChange = rankChange
        self.isNew = isNew
        self.movieCode = movieCode
        self.title = title
    }

    /// How the film moved, as charts print it.
    public var movement: RankMovement {
        if isNew { return .new }
        guard let rankChange, rankChange != 0 else { return .unchanged }
        return rankChange > 0 ? .rose(rankChange) : .fell(-rankChange)
    }
}

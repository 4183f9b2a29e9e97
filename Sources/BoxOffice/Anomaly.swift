/// Something about the source's figures that is late, missing or hard to believe.
///
/// It is told beside the figures, which stay as the source has them.
public struct Anomaly: Hashable, Sendable, Codable {
    /// What is the matter; the raw value is the word on the wire.
    public enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
        /// The chart is not there at a time when it always has been.
        case late
        /// A chart has no lines, or fewer than it had or the one before has.
        case missing
        /// A film's admissions so far have become fewer by more than a correction.
        case shrunk
        /// The lines all have the same figures, or those of the chart before.
        case repeated
    }

    /// What is the matter.
    public var kind: Kind
    /// The day whose chart it is about, or the first day of the week.
    public var date: KoreanDate
    /// Which days of the week; absent for a day's chart.
    public var span: Week.Span?
    /// The market of the chart.
    public var market: Market
    /// The film, if it is about one.
    @Nullable public var movieCode: MovieCode?
    /// The film's title.
    @Nullable public var title: String?
    /// The least that was to be expected: of lines, of a film's admissions so far, or of lines that differ.
    @Nullable public var expected: Int?
    /// What there is of it.
    public var found: Int
    /// The matter in one English sentence.
    public var text: String

    /// Makes an anomaly that is about no film.
    public init(
        _ kind: Kind, of date: KoreanDate, span: Week.Span? = nil, in market: Market, expected: Int?, found: Int,
        text: String
    ) {
        self.kind = kind
        self.date = date
        self.span = span
        self.market = market
        self.expected = expected
        self.found = found
        self.text = text
    }

    /// The same for the same kind, chart and market, so that each is told once.
    public var id: String {
        "anomaly.\(kind.rawValue).\(date).\(market)" + (span.map { ".\($0.rawValue)" } ?? "")
    }
}

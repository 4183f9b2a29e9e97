public import JSONCoding

/// A chart that is late, incomplete or implausible, or a field of the source that cannot be read.
///
/// An anomaly is published beside the chart, whose figures stay as the source has them; what cannot be read is empty.
public struct Anomaly: Hashable, Sendable, Codable {
    /// The kind of an anomaly; the raw value is the word on the wire.
    public enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
        /// The chart is not available at a time by which it usually is.
        case late
        /// The chart is empty, or has fewer entries than its earlier revision or the previous chart.
        case missing
        /// A movie's total audience fell by more than a correction explains.
        case shrunk
        /// All entries have the same figures, or the chart repeats those of the previous one.
        case repeated
        /// An optional field cannot be read.
        case unreadable
    }

    /// The kind of anomaly.
    public var kind: Kind
    /// The chart's day, or the first day of its week; for what is no chart, the day on which it was read.
    public var date: KoreanDate
    /// The days of the week; absent for a day's chart.
    public var span: Week.Span?
    /// The market of the chart.
    public var market: Market
    /// The movie, if the anomaly is about one.
    @Nullable public var movieCode: MovieCode?
    /// The movie's title.
    @Nullable public var title: String?
    /// The field that cannot be read, as the source calls it: `dailyBoxOfficeList.showCnt`; nil for other kinds.
    public var field: String?
    /// The least that was expected: entries, a movie's total audience, or entries that differ.
    @Nullable public var expected: Int?
    /// The number that was found.
    public var found: Int
    /// The anomaly in one English sentence.
    public var text: String

    /// Makes an anomaly that is not about one movie.
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

    /// The anomaly's id: equal for equal kind, chart, market and field, so that each is published once.
    public var id: String {
        (["anomaly", kind.rawValue, "\(date)", "\(market)"] + [span?.rawValue, field].compactMap(\.self))
            .joined(separator: ".")
    }
}

extension Anomaly {
    /// Returns the anomaly of a day's chart that was not published by a time of the next day, such as `09:00`.
    public static func late(_ date: KoreanDate, in market: Market, at time: String) -> Anomaly {
        Anomaly(
            .late, of: date, in: market, expected: 1, found: 0,
            text: "the chart of \(date) is not there at \(time) of the day after it")
    }

    /// Returns the anomaly of a week's chart that was not published by a time of the day after its last.
    public static func late(_ week: Week, in market: Market, at time: String) -> Anomaly {
        Anomaly(
            .late, of: week.firstDay, span: week.span, in: market, expected: 1, found: 0,
            text: "the \(week.span.rawValue) chart of \(week) is not there at \(time) of the day after it")
    }

    /// Returns the anomaly of an empty day's chart; `lines` is the earlier number of entries, if known.
    public static func empty(_ date: KoreanDate, in market: Market, lines: Int?) -> Anomaly {
        Anomaly(
            .missing, of: date, in: market, expected: lines ?? 1, found: 0,
            text: "the chart of \(date) \(empty(lines, "day"))")
    }

    /// Returns the anomaly of an empty week's chart; `lines` is the earlier number of entries, if known.
    public static func empty(_ week: Week, in market: Market, lines: Int?) -> Anomaly {
        Anomaly(
            .missing, of: week.firstDay, span: week.span, in: market, expected: lines ?? 1, found: 0,
            text: "the \(week.span.rawValue) chart of \(week) \(empty(lines, "week"))")
    }

    /// Returns the anomaly of an optional field of which some values cannot be read.
    ///
    /// - Parameters:
    ///   - subject: What has the field: `the chart of 2024-06-04`.
    ///   - path: Where its first such value is.
    public static func unreadable(
        _ field: String, at path: String, count: Int, in subject: String, of date: KoreanDate,
        span: Week.Span? = nil, market: Market = .all
    ) -> Anomaly {
        let values = count == 1 ? "a value" : "\(count) values"
        var anomaly = Anomaly(
            .unreadable, of: date, span: span, in: market, expected: 0, found: count,
            text: "\(subject) has \(values) that cannot be read and count\(count == 1 ? "s" : "") as empty: \(path)")
        anomaly.field = field
        return anomaly
    }

    private static func empty(_ lines: Int?, _ period: String) -> String {
        lines == nil ? "is empty, long after the \(period)" : "is empty, and had lines before"
    }
}

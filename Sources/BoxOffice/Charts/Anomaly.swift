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

    /// Returns the anomaly of a chart, of `week` or else a day, that was not published by a time of the day after its last.
    public static func late(_ date: KoreanDate, week: Week? = nil, in market: Market, at time: String) -> Anomaly {
        Anomaly(
            .late, of: date, span: week?.span, in: market, expected: 1, found: 0,
            text: "the \(chartName(date, week)) is not there at \(time) of the day after it")
    }

    /// Returns the anomaly of an empty chart, of `week` or else a day; `lines` is the earlier number of entries, if known.
    public static func empty(_ date: KoreanDate, week: Week? = nil, in market: Market, lines: Int?) -> Anomaly {
        let reason = lines == nil ? "long after the \(week == nil ? "day" : "week")" : "and had lines before"
        return Anomaly(
            .missing, of: date, span: week?.span, in: market, expected: lines ?? 1, found: 0,
            text: "the \(chartName(date, week)) is empty, \(reason)")
    }

    fileprivate static func chartName(_ date: KoreanDate, _ week: Week?) -> String {
        week.map { "\($0.span.rawValue) chart of \($0)" } ?? "chart of \(date)"
    }

    /// Returns the anomaly of an optional field of `subject`, of which some values cannot be read, the first at `path`.
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
}

// MARK: - Finding

extension Chart {
    /// The largest loss of a total audience that counts as a correction; in all recorded charts, the largest is 14.
    private static let largestCorrection = 100

    /// Fewer entries than this may have equal figures by chance.
    private static let fewestToRepeat = 3

    /// Returns the anomalies of this chart compared with its earlier revision and the chart of the day before, where
    /// those are known: at most one of each kind.
    public func anomalies(after earlier: Chart?, dayBefore: Chart?) -> [Anomaly] {
        anomalies(after: earlier, before: dayBefore, week: nil)
    }

    fileprivate func anomalies(after earlier: Chart?, before: Chart?, week: Week?) -> [Anomaly] {
        let nameBefore = week == nil ? "the day before" : "the week before"
        let found = [
            missing(earlier, before, nameBefore), shrunk([earlier, before].compactMap(\.self)),
            repeated(before, nameBefore),
        ]
        return found.compactMap(\.self).map { anomaly in
            var anomaly = anomaly
            anomaly.text = "the \(Anomaly.chartName(date, week)) \(anomaly.text)"
            anomaly.span = week?.span
            return anomaly
        }
    }

    private func missing(_ earlier: Chart?, _ before: Chart?, _ nameBefore: String) -> Anomaly? {
        if let lines = earlier?.entries.count, entries.count < lines {
            return anomaly(
                .missing, expected: lines, found: entries.count, "has \(lineCount) and had \(lines)")
        }
        // A small market may have fewer than ten movies on a day; the whole market never does.
        if market == .all, let lines = before?.entries.count, entries.count < lines {
            let text = "has \(lineCount), and \(nameBefore) has \(lines)"
            return anomaly(.missing, expected: lines, found: entries.count, text)
        }
        return nil
    }

    private var lineCount: String { entries.count == 1 ? "1 line" : "\(entries.count) lines" }

    private func shrunk(_ others: [Chart]) -> Anomaly? {
        var worst: (loss: Int, movie: ChartEntry, before: Int)?
        for other in others {
            let totals = Dictionary(
                uniqueKeysWithValues: other.entries.firstLines.map { ($0.movieCode, $0.audienceTotal) })
            for entry in entries.firstLines {
                guard let before = totals[entry.movieCode] ?? nil, let after = entry.audienceTotal else { continue }
                // The figures come from outside: one that overflows is ignored.
                let (loss, isAbsurd) = before.subtractingReportingOverflow(after)
                guard !isAbsurd, loss > worst?.loss ?? Self.largestCorrection else { continue }
                worst = (loss, entry, before)
            }
        }
        guard let (loss, movie, before) = worst, let after = movie.audienceTotal else { return nil }
        let text = "takes \(loss.grouped) from the admissions so far of \(movie.title), which were \(before.grouped)"
        var anomaly = anomaly(.shrunk, expected: before, found: after, text)
        anomaly.movieCode = movie.movieCode
        anomaly.title = movie.title
        return anomaly
    }

    private func repeated(_ before: Chart?, _ nameBefore: String) -> Anomaly? {
        guard entries.count >= Self.fewestToRepeat else { return nil }
        let figures = Row(entries[0], ofAnyMovie: true)
        if entries.allSatisfy({ Row($0, ofAnyMovie: true) == figures }) {
            return anomaly(.repeated, expected: entries.count, found: 1, "has the same figures on each of its lines")
        }
        guard let before, entries.map({ Row($0) }) == before.entries.map({ Row($0) }) else { return nil }
        return anomaly(.repeated, expected: 1, found: 0, "has the same figures as that of \(nameBefore)")
    }

    private func anomaly(_ kind: Anomaly.Kind, expected: Int, found: Int, _ text: String) -> Anomaly {
        Anomaly(kind, of: date, in: market, expected: expected, found: found, text: text)
    }

    /// The figures that are never equal in two charts by chance.
    private struct Row: Equatable {
        let movieCode: MovieCode?
        let sales: Int?
        let audience: Int?
        let audienceTotal: Int?

        init(_ entry: ChartEntry, ofAnyMovie: Bool = false) {
            movieCode = ofAnyMovie ? nil : entry.movieCode
            sales = entry.sales
            audience = entry.audience
            audienceTotal = ofAnyMovie ? entry.audienceTotal : nil
        }
    }
}

extension WeekChart {
    /// Returns the anomalies of this chart compared with its earlier revision and the chart of the same days of the week
    /// before, where those are known: at most one of each kind.
    public func anomalies(after earlier: WeekChart?, weekBefore: WeekChart?) -> [Anomaly] {
        chart.anomalies(after: earlier?.chart, before: weekBefore?.chart, week: week)
    }
}

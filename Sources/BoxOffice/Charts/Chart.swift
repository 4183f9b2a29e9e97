public import FoundationEssentials
public import JSONCoding

/// The chart of one day in one market, as known at one time.
public struct Chart: Hashable, Sendable {
    /// Whether the figures may still be corrected.
    public enum State: String, Hashable, Sendable, Codable {
        /// Fewer than three whole days have passed after the day.
        case provisional
        /// At least three whole days have passed after the day.
        case settled
    }

    /// The day of the figures; the first day of a week's chart.
    public var date: KoreanDate
    /// The market the ranks and shares are relative to.
    public var market: Market
    /// Whether the figures may still be corrected.
    public var state: State
    /// The chart's revision: 1 for the first, and one more for each that differs.
    public var revision: Int
    /// The entries, in the source's order.
    public var entries: [ChartEntry]
    /// The changes since the previous revision; nil for the first.
    public var corrections: [Correction]?

    /// Makes the first revision of a day's chart.
    public init(date: KoreanDate, market: Market, state: State, entries: [ChartEntry]) {
        self.date = date
        self.market = market
        self.state = state
        self.revision = 1
        self.entries = entries
    }

    /// Returns the state of `date`'s figures at `instant`: they settle at 00:00 in Korea on the fourth day after `date`.
    public static func state(of date: KoreanDate, at instant: Date) -> State {
        instant < (date + 4).start ? .provisional : .settled
    }

    /// Returns this chart as the next revision of an earlier one; nil if nothing changed, or only the order in which the
    /// source sends its lines.
    public func revised(from earlier: Chart) -> Chart? {
        // An entry has the number of its line, and no two are equal.
        guard state != earlier.state || Set(entries) != Set(earlier.entries) else { return nil }
        var next = self
        next.revision = earlier.revision + 1  // Fits: counted from 1, and only here.
        next.corrections = Correction.between(earlier.entries, and: entries)
        return next
    }
}

/// The chart of a week in one market, as known at one time.
public struct WeekChart: Hashable, Sendable {
    /// The days whose figures are added up.
    public var week: Week
    /// The year and the number of the week as the source counts them, such as `202423`.
    public var yearWeek: String?
    /// The figures, whose changes are against the week before; the chart's date is the week's first day.
    public var chart: Chart

    /// Makes the first revision of a week's chart.
    public init(week: Week, yearWeek: String?, market: Market, state: Chart.State, entries: [ChartEntry]) {
        self.week = week
        self.yearWeek = yearWeek
        chart = Chart(date: week.firstDay, market: market, state: state, entries: entries)
    }

    /// Returns this chart as the next revision of an earlier one; nil if no figure changed.
    public func revised(from earlier: WeekChart) -> WeekChart? {
        guard let revision = chart.revised(from: earlier.chart) else { return nil }
        var next = self
        next.chart = revision
        return next
    }
}

extension [ChartEntry] {
    /// The movies in the order of their lines. Of one that the source has on several lines, the first counts.
    public var firstLines: [ChartEntry] {
        // They are nearly always in this order.
        let isSorted = indices.dropFirst().allSatisfy { self[$0 - 1].line <= self[$0].line }
        let lines = isSorted ? self : sorted { $0.line < $1.line }
        return lines.indices.filter { index in
            !lines[..<index].contains { $0.movieCode == lines[index].movieCode }
        }.map { lines[$0] }
    }
}

// MARK: - JSON

extension Chart: JSONReadable, JSONWritable {
    /// Reads a chart as the contract has it.
    public init(json: JSONValue) throws(DecodingError) {
        date = try json.value("date").text()
        market = try json.value("market").text()
        state = try json.value("state").word()
        revision = try json.value("revision").integer()
        entries = try Array(json: json.value("entries"))
        corrections = try json["corrections"].map { json throws(DecodingError) in try Array(json: json) }
    }

    /// Writes the chart as the contract has it: corrections only from the second revision on.
    public func write(to json: inout JSONWriter) {
        write(to: &json, of: nil)
    }

    func write(to json: inout JSONWriter, of week: WeekChart?) {
        if let corrections {
            json.member("corrections", corrections, isFirst: true)
        }
        json.member("date", date.description, isFirst: corrections == nil)
        json.member("entries", entries)
        if let week {
            json.member("firstDay", week.week.firstDay.description)
            json.member("lastDay", week.week.lastDay.description)
        }
        json.member("market", market.description)
        json.member("revision", revision)
        if let week { json.member("span", week.week.span.rawValue) }
        json.member("state", state.rawValue)
        if let week { json.member("yearWeek", week.yearWeek) }
        json.endObject()
    }
}

extension WeekChart: JSONReadable, JSONWritable {
    /// Reads the chart's fields and the week's fields beside them.
    public init(json: JSONValue) throws(DecodingError) {
        let firstDay = try json.value("firstDay").text(as: KoreanDate.self)
        week = Week(of: firstDay, span: try json.value("span").word())
        yearWeek = try json["yearWeek"]?.text()
        chart = try Chart(json: json)
    }

    /// Writes the chart's fields and the week's fields beside them.
    public func write(to json: inout JSONWriter) {
        chart.write(to: &json, of: self)
    }
}

import BoxOffice
import Contract
import JSONCoding

/// A day's chart as the memory keeps it: what the films' histories take from it is read at once, all of it when rules ask.
///
/// They ask for few: who learns from 23 years of charts would read a million figures that nobody looks at.
struct RecentChart: Hashable, Sendable {
    /// A film's line, as far as histories need it.
    struct Line: Hashable, Sendable {
        let number: Int
        let movie: MovieCode
        let audience: Int?
        let audienceTotal: Int?
    }

    private enum Content: Hashable, Sendable {
        case json([UInt8])
        case chart(Chart)
    }

    /// The chart's day.
    let date: KoreanDate
    /// Where it stands in the log.
    let position: Alert.Evidence
    /// Its lines, in their order.
    let lines: [Line]
    private let content: Content

    /// Reads a chart as far as histories need it.
    init(_ json: JSONValue, of date: KoreanDate, at position: Alert.Evidence) throws(DecodingError) {
        self.date = date
        self.position = position
        lines = try Array(json: json.value("entries"))
        content = .json(json.bytes)
    }

    /// Takes a chart that was read, and its JSON, if that is at hand.
    init(_ chart: SourcedChart, json: [UInt8]? = nil) {
        date = chart.chart.date
        position = chart.position
        lines = chart.chart.entries.map(Line.init)
        content = json.map(Content.json) ?? .chart(chart.chart)
    }

    /// The film on line 1.
    var leader: MovieCode? { lines.first { $0.number == 1 }?.movie }

    /// All of the chart.
    func read() throws(DecodingError) -> SourcedChart {
        switch content {
        case .json(let json): SourcedChart(try Chart(json: json), at: position)
        case .chart(let chart): SourcedChart(chart, at: position)
        }
    }

    /// The chart as its event has it.
    var json: [UInt8] {
        switch content {
        case .json(let json): json
        case .chart(let chart): chart.json
        }
    }
}

extension RecentChart.Line: JSONReadable {
    init(json: JSONValue) throws(DecodingError) {
        number = try json.value(ChartEntry.Field.line.rawValue).integer()
        movie = try json.value(ChartEntry.Field.movieCode.rawValue).text()
        audience = try json[ChartEntry.Field.audience.rawValue]?.integer()
        audienceTotal = try json[ChartEntry.Field.audienceTotal.rawValue]?.integer()
    }

    init(_ entry: ChartEntry) {
        number = entry.line
        movie = entry.movieCode
        audience = entry.audience
        audienceTotal = entry.audienceTotal
    }

    /// The line as a day of its film.
    func appearance(on day: KoreanDate) -> MovieState.Appearance {
        MovieState.Appearance(day: day, audience: audience, total: audienceTotal)
    }
}

import BoxOffice
import Contract
import JSONCoding

/// A day's chart that a correction can still change. The fields that movie totals and titles need are read at once, the
/// others when a rule needs them.
struct RecentChart: Hashable, Sendable {
    /// A movie's line, with the fields that movie totals and titles need.
    struct Line: Hashable, Sendable {
        let number: Int
        let movie: NamedMovie
        let audience: Int?
        let audienceTotal: Int?
    }

    // Rules read few charts whole; reading those of 23 years would take a million figures that nothing uses.
    private enum Content: Hashable, Sendable {
        case json([UInt8])
        case chart(Chart)
    }

    let date: KoreanDate
    let evidence: Alert.Evidence
    /// The movies' lines, in their order. Of a movie that the source has on several lines, the first counts.
    let lines: [Line]
    /// Whether the chart has fewer lines than the revision before.
    let hasLostLines: Bool
    private let content: Content

    init(_ json: JSONValue, of date: KoreanDate, evidence: Alert.Evidence) throws(DecodingError) {
        self.date = date
        self.evidence = evidence
        let lines: [Line] = try Array(json: json.value("entries"))
        self.lines = lines.firstOfEachMovie
        // Corrections that cannot be read say nothing of lines.
        let corrections = try? json["corrections"].map { json throws(DecodingError) in
            try [Correction](json: json)
        }
        hasLostLines = corrections?.haveLostLines ?? false
        content = .json(json.bytes)
    }

    /// Makes a recent chart of one that was read whole, and its JSON if that is at hand.
    init(_ chart: SourcedChart, json: [UInt8]? = nil) {
        date = chart.chart.date
        evidence = chart.evidence
        lines = chart.chart.entries.firstLines.map(Line.init)
        hasLostLines = chart.chart.corrections?.haveLostLines ?? false
        content = json.map(Content.json) ?? .chart(chart.chart)
    }

    /// The movie on line 1.
    var leader: MovieCode? { lines.first { $0.number == 1 }?.movie.code }

    func read() throws(DecodingError) -> SourcedChart {
        switch content {
        case .json(let json): SourcedChart(chart: try Chart(json: json), evidence: evidence)
        case .chart(let chart): SourcedChart(chart: chart, evidence: evidence)
        }
    }

    /// The chart's JSON, as in its event.
    var json: [UInt8] {
        switch content {
        case .json(let json): json
        case .chart(let chart): chart.json
        }
    }
}

extension [RecentChart.Line] {
    /// As `firstLines` of a chart's entries.
    fileprivate var firstOfEachMovie: [RecentChart.Line] {
        let lines = sorted { $0.number < $1.number }
        return lines.indices.filter { index in
            !lines[..<index].contains { $0.movie.code == lines[index].movie.code }
        }.map { lines[$0] }
    }
}

extension RecentChart.Line: JSONReadable {
    init(json: JSONValue) throws(DecodingError) {
        func figure(_ field: ChartEntry.Field) throws(DecodingError) -> Int? { try field.figure(json[field.rawValue]) }
        number = try json.value(ChartEntry.Field.line.rawValue).integer()
        movie = NamedMovie(
            code: try json.value(ChartEntry.Field.movieCode.rawValue).text(),
            title: try json.value(ChartEntry.Field.title.rawValue).text(),
            openDate: try json[ChartEntry.Field.openDate.rawValue]?.text())
        audience = try figure(.audience)
        audienceTotal = try figure(.audienceTotal)
    }

    init(_ entry: ChartEntry) {
        number = entry.line
        movie = NamedMovie(entry)
        audience = entry.audience
        audienceTotal = entry.audienceTotal
    }

    /// Returns the line as a day of its movie.
    func appearance(on day: KoreanDate) -> MovieState.Appearance {
        MovieState.Appearance(day: day, audience: audience, total: audienceTotal)
    }
}

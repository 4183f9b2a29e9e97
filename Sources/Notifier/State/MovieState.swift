import BoxOffice
import Contract
import JSONCoding

struct MovieTotals: Hashable, Sendable {
    struct Day: Hashable, Sendable {
        let day: KoreanDate
        let audience: Int
    }

    private(set) var first: KoreanDate?
    private(set) var last: KoreanDate?
    /// The day with the largest audience; the first of equals.
    private(set) var best: Day?
    private(set) var total: Int?

    /// Adds a day, in any order. The same day may be added again: figures only grow.
    mutating func add(_ appearance: MovieState.Appearance) {
        let day = appearance.day
        first = min(first ?? day, day)
        last = max(last ?? day, day)
        if let audience = appearance.audience, best.map({ ($0.audience, day) < (audience, $0.day) }) ?? true {
            best = Day(day: day, audience: audience)
        }
        if let total = appearance.total { self.total = max(self.total ?? total, total) }
    }
}

/// What the rules know of a movie: its recent days, which a correction can still change, and the totals of older ones.
struct MovieState: Hashable, Sendable {
    struct Appearance: Hashable, Sendable {
        let day: KoreanDate
        let audience: Int?
        let total: Int?
    }

    /// The totals of the days before the recent ones.
    private(set) var settled: MovieTotals
    private var recent: [Appearance] = []

    init(settled: MovieTotals = MovieTotals()) {
        self.settled = settled
    }

    mutating func insert(_ appearance: Appearance) {
        let index = recent.lastIndex { $0.day < appearance.day }.map { $0 + 1 } ?? 0
        recent.insert(appearance, at: index)
    }

    mutating func remove(_ day: KoreanDate) {
        recent.removeAll { $0.day == day }
    }

    mutating func settle(_ appearance: Appearance) {
        settled.add(appearance)
    }

    /// Moves the recent days before `horizon` to the totals.
    mutating func settle(before horizon: KoreanDate) {
        let count = recent.prefix { $0.day < horizon }.count
        for appearance in recent.prefix(count) { settled.add(appearance) }
        recent.removeFirst(count)
    }

    func totals(before day: KoreanDate) -> MovieTotals {
        var totals = settled
        for appearance in recent {
            guard appearance.day < day else { break }
            totals.add(appearance)
        }
        return totals
    }
}

/// A day's chart that a correction can still change. The fields that movie totals and titles need are read at once, the
/// others when a rule needs them.
struct RecentChart: Hashable, Sendable {
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

    var leader: MovieCode? { lines.first { $0.number == 1 }?.movie.code }

    func read() throws(DecodingError) -> SourcedChart {
        switch content {
        case .json(let json): SourcedChart(chart: try Chart(json: json), evidence: evidence)
        case .chart(let chart): SourcedChart(chart: chart, evidence: evidence)
        }
    }

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

    func appearance(on day: KoreanDate) -> MovieState.Appearance {
        MovieState.Appearance(day: day, audience: audience, total: audienceTotal)
    }
}

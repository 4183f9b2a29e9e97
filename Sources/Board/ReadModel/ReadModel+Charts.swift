import BoxOffice
import Contract
import FoundationEssentials
import JSONCoding
import Storage

extension ReadModel {
    /// The span of a day's chart in the tables; a week's has the raw value of `Week.Span`.
    static let daySpan = "day"

    /// Stores a day's chart: its newest revision as received, the changes of each revision, and its lines for histories.
    func applyChart(_ event: Event, _ data: [UInt8], in connection: Connection) throws -> [LiveUpdate] {
        let chart = try event.data(as: Chart.self)
        // Histories add up lines: of a movie that the source has on several, only the first counts.
        try storeLines(chart.entries.firstLines, of: chart.date, in: chart.market, in: connection)
        return [try store(chart, span: Self.daySpan, event, data, in: connection)]
    }

    func applyChart(
        of week: Week, _ event: Event, _ data: [UInt8], in connection: Connection
    ) throws -> [LiveUpdate] {
        let chart = try event.data(as: WeekChart.self).chart
        return [try store(chart, span: week.span.rawValue, event, data, in: connection)]
    }

    private func store(
        _ chart: Chart, span: String, _ event: Event, _ data: [UInt8], in connection: Connection
    ) throws -> LiveUpdate {
        let topic = event.topic.description
        try connection.execute(
            """
            insert into chart (topic, market, span, first_day, revision, state, data) values (?, ?, ?, ?, ?, ?, ?)
            on conflict do update set revision = excluded.revision, state = excluded.state, data = excluded.data
            """, topic, chart.market.description, span, chart.date.description, chart.revision, chart.state.rawValue,
            data)
        let revision = Revision(
            revision: chart.revision, time: event.time.ISO8601Format(), state: chart.state,
            corrections: chart.corrections ?? [])
        try connection.execute(
            "insert or replace into revision (topic, revision, data) values (?, ?, ?)", topic, chart.revision,
            revision.json)
        let update = ChartUpdate(
            topic: topic, market: chart.market, span: span, firstDay: chart.date, revision: chart.revision,
            state: chart.state, corrections: chart.corrections?.count ?? 0)
        return try connection.addUpdate(.chart, try JSON.encode(update))
    }

    private func storeLines(
        _ entries: [ChartEntry], of day: KoreanDate, in market: Market, in connection: Connection
    ) throws {
        try connection.execute(
            "delete from line where market = ? and day = ?", market.description, day.description)
        for entry in entries {
            try connection.execute(
                """
                insert or replace into line (
                    market, day, line, code, title, rank, audience, audience_total, sales, sales_total, screens, showings
                ) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, market.description, day.description, entry.line, entry.movieCode.description, entry.title,
                entry.rank, entry.audience, entry.audienceTotal, entry.sales, entry.salesTotal, entry.screens,
                entry.showings)
        }
    }

    /// Returns a chart's newest revision, its list of revisions and its movies' posters as JSON; nil if it is not known.
    func chart(span: String, firstDay: KoreanDate, market: Market) async throws -> [UInt8]? {
        try await database.read { connection in
            let row = try connection.query(
                "select topic, data from chart where market = ? and span = ? and first_day = ?", market.description,
                span, firstDay.description, as: String.self, [UInt8].self
            ).first
            guard let (topic, data) = row else { return nil }
            let revisions = try connection.query(
                "select data from revision where topic = ? order by revision", topic, as: [UInt8].self)
            let chart = try JSON.decode(ChartMovies.self, from: data)
            var posters: [String: String?] = [:]
            var titlesEnglish: [String: String] = [:]
            for code in Set(chart.entries.map(\.movieCode)) {
                titlesEnglish[code.description] = try titleEnglish(of: code.description, in: connection)
                if let version = try posterVersion(of: code.description, in: connection) {
                    posters.updateValue(version, forKey: code.description)
                }
            }
            return JSONObject([
                ("known", try JSON.encode(true)), ("chart", data), ("revisions", JSONObject.list(revisions)),
                ("posters", try JSON.encode(posters)), ("titlesEnglish", try JSON.encode(titlesEnglish)),
            ]).bytes
        }
    }

    /// Returns the days of a year that have a chart, with its state and revision, as JSON.
    func calendar(year: Int, market: Market) async throws -> [UInt8] {
        let rows = try await database.read { connection in
            try connection.query(
                """
                select first_day, state, revision from chart
                where market = ? and span = ? and first_day between ? and ? order by first_day
                """, market.description, Self.daySpan, "\(year)-01-01", "\(year)-12-31", as: String.self, String.self,
                Int.self)
        }
        let days = rows.map { day, state, revision in CalendarDay(date: day, state: state, revision: revision) }
        return try JSON.encode(["days": days])
    }
}

private struct Revision: JSONWritable {
    let revision: Int
    let time: String
    let state: Chart.State
    let corrections: [Correction]

    func write(to json: inout JSONWriter) {
        json.member("corrections", corrections, isFirst: true)
        json.member("revision", revision)
        json.member("state", state.rawValue)
        json.member("time", time)
        json.endObject()
    }
}

private struct ChartUpdate: Encodable {
    let topic: String
    let market: Market
    let span: String
    let firstDay: KoreanDate
    let revision: Int
    let state: Chart.State
    let corrections: Int
}

// Only the codes are decoded: the chart itself is passed on as it was received.
private struct ChartMovies: Decodable {
    struct Entry: Decodable {
        let movieCode: MovieCode
    }

    let entries: [Entry]
}

private struct CalendarDay: Encodable {
    let date: String
    let state: String
    let revision: Int
}

extension ReadModel {
    /// Returns the lines of all charts in a range of days, by day and then by line.
    func lines(from: KoreanDate, to: KoreanDate, market: Market) async throws -> [HistoryLine] {
        try await database.read { connection in
            try connection.query(
                """
                select day, code, title, line, rank, audience, audience_total, sales, screens, showings from line
                where market = ? and day between ? and ? order by day, line
                """, market.description, from.description, to.description, as: String.self, String.self, String.self,
                Int.self, Int?.self, Int?.self, Int?.self, Int?.self, Int?.self, Int?.self
            ).map(HistoryLine.init)
        }
    }

    /// Returns the audience of all movies on the known days of each week of a range, with ranks by audience.
    func weekLines(from: KoreanDate, to: KoreanDate, market: Market) async throws -> [HistoryLine] {
        try await database.read { connection in
            try connection.query(
                """
                select week, code, title, rank() over (partition by week order by audience desc) as week_rank, audience
                from (
                    select date(day, 'weekday 0', '-6 days') as week, code, max(title) as title,
                        sum(coalesce(audience, 0)) as audience
                    from line where market = ? and day between ? and ? group by week, code
                ) order by week, week_rank, code
                """, market.description, from.description, to.description, as: String.self, String.self, String.self,
                Int.self, Int.self
            ).map { HistoryLine(day: $0.0, code: $0.1, title: $0.2, line: $0.3, rank: $0.3, audience: $0.4) }
        }
    }

    /// Returns of how many days of each week in a range the charts are known, by the weeks' Mondays.
    private func knownDays(from: KoreanDate, to: KoreanDate, market: Market) async throws -> [String: Int] {
        let weeks = try await database.read { connection in
            try connection.query(
                """
                select date(first_day, 'weekday 0', '-6 days') as week, count(*) from chart
                where market = ? and span = ? and first_day between ? and ? group by week
                """, market.description, Self.daySpan, from.description, to.description, as: String.self, Int.self)
        }
        return Dictionary(uniqueKeysWithValues: weeks)
    }

    /// Returns each movie's audience up to the newest known day of a range, by its code. A sum would miss unknown days.
    private func audienceTotals(from: KoreanDate, to: KoreanDate, market: Market) async throws -> [String: Int] {
        let rows = try await database.read { connection in
            // SQLite takes the total from the row with the newest day (https://sqlite.org/lang_select.html#bareagg).
            try connection.query(
                """
                select code, audience_total, max(day) from line
                where market = ? and day between ? and ? and audience_total is not null group by code
                """, market.description, from.description, to.description, as: String.self, Int.self, String.self)
        }
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.0, $0.1) })
    }

    private func titlesEnglish(of codes: Set<String>) async throws -> [String: String] {
        let rows = try await database.read { connection in
            try connection.query(
                "select code, title_english from movie where title_english is not null", as: String.self, String.self)
        }
        return Dictionary(uniqueKeysWithValues: rows.filter { codes.contains($0.0) })
    }

    /// Returns the known days of a range, or the Mondays of its weeks, and each movie's ranks and audience there, as JSON.
    func history(from: KoreanDate, to: KoreanDate, market: Market, byWeek: Bool) async throws -> [UInt8] {
        let lines =
            byWeek
            ? try await weekLines(from: from, to: to, market: market)
            : try await lines(from: from, to: to, market: market)
        let known = byWeek ? try await knownDays(from: from, to: to, market: market) : nil
        let titlesEnglish = try await titlesEnglish(of: Set(lines.map(\.code)))
        let totals = try await audienceTotals(from: from, to: to, market: market)
        var days: [String] = []
        var movies: [String: HistoryMovie] = [:]
        for line in lines {
            if days.last != line.day { days.append(line.day) }
            let new = HistoryMovie(
                code: line.code, title: line.title, titleEnglish: titlesEnglish[line.code],
                audienceTotal: totals[line.code])
            movies[line.code, default: new].add(line, day: days.count - 1)
        }
        return try JSON.encode(
            History(
                step: byWeek ? "week" : "day", days: days,
                knownDays: known.map { known in days.map { known[$0] ?? 0 } },
                movies: movies.values.sorted { ($0.audience, $1.code) > ($1.audience, $0.code) }))
    }
}

struct HistoryLine: Sendable {
    /// The day, or the Monday of the week.
    let day: String
    let code: String
    let title: String
    let line: Int
    let rank: Int?
    let audience: Int?
    var audienceTotal: Int?
    var sales: Int?
    var screens: Int?
    var showings: Int?
}

private struct History: Encodable {
    let step: String
    let days: [String]
    let knownDays: [Int]?
    let movies: [HistoryMovie]
}

// Points are arrays, because there are thousands: index of the day, rank, audience.
private struct HistoryMovie: Encodable {
    let code: String
    var title: String
    let titleEnglish: String?
    let audienceTotal: Int?
    var audience = 0
    var points: [[Int?]] = []

    mutating func add(_ line: HistoryLine, day: Int) {
        title = line.title
        audience += line.audience ?? 0
        points.append([day, line.rank, line.audience])
    }
}

import BoxOffice
import Contract
import JSONCoding
import SQLite

extension ReadModel {
    /// The lines of all days in a range, by film and then by day.
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

    /// The admissions of all films in the weeks of a range, ranked by them; of each week the days that are known count.
    func weekLines(from: KoreanDate, to: KoreanDate, market: Market) async throws -> [HistoryLine] {
        try await database.read { connection in
            try connection.query(
                """
                select week, code, title, rank() over (partition by week order by audience desc) as place, audience
                from (
                    select date(day, 'weekday 0', '-6 days') as week, code, max(title) as title,
                        sum(coalesce(audience, 0)) as audience
                    from line where market = ? and day between ? and ? group by week, code
                ) order by week, place, code
                """, market.description, from.description, to.description, as: String.self, String.self, String.self,
                Int.self, Int.self
            ).map { HistoryLine(day: $0.0, code: $0.1, title: $0.2, line: $0.3, rank: $0.3, audience: $0.4) }
        }
    }

    /// The days of a range of which charts are known, and each film's ranks and admissions on them, as JSON; `byWeek` of
    /// weeks, each by its Monday.
    func history(from: KoreanDate, to: KoreanDate, market: Market, byWeek: Bool) async throws -> [UInt8] {
        let lines =
            byWeek
            ? try await weekLines(from: from, to: to, market: market)
            : try await lines(from: from, to: to, market: market)
        var days: [String] = []
        var films: [String: HistoryMovie] = [:]
        for line in lines {
            if days.last != line.day { days.append(line.day) }
            films[line.code, default: HistoryMovie(code: line.code, title: line.title)].add(line, day: days.count - 1)
        }
        return try JSON.encode(
            History(
                step: byWeek ? "week" : "day", days: days,
                films: films.values.sorted { ($0.audience, $1.code) > ($1.audience, $0.code) }))
    }
}

/// A line of a day's chart, or of a week's, as the histories have it.
struct HistoryLine: Sendable {
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
    let films: [HistoryMovie]
}

/// A film in a range of days; its points are lists, for there are thousands: day's index, rank, admissions.
private struct HistoryMovie: Encodable {
    let code: String
    var title: String
    var audience = 0
    var points: [[Int?]] = []

    init(code: String, title: String) {
        self.code = code
        self.title = title
    }

    mutating func add(_ line: HistoryLine, day: Int) {
        title = line.title
        audience += line.audience ?? 0
        points.append([day, line.rank, line.audience])
    }
}

import BoxOffice
import Events
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

    /// The days of a range of which charts are known, and each film's ranks and admissions on them, as JSON.
    func history(from: KoreanDate, to: KoreanDate, market: Market) async throws -> [UInt8] {
        let lines = try await lines(from: from, to: to, market: market)
        var days: [String] = []
        var films: [String: HistoryFilm] = [:]
        for line in lines {
            if days.last != line.day { days.append(line.day) }
            films[line.code, default: HistoryFilm(code: line.code, title: line.title)].add(line, day: days.count - 1)
        }
        return try JSON.encode(
            History(days: days, films: films.values.sorted { ($0.audience, $1.code) > ($1.audience, $0.code) }))
    }
}

/// A line of a day's chart, as the histories have it.
struct HistoryLine: Sendable {
    let day: String
    let code: String
    let title: String
    let line: Int
    let rank: Int?
    let audience: Int?
    let audienceTotal: Int?
    let sales: Int?
    let screens: Int?
    let showings: Int?
}

private struct History: Encodable {
    let days: [String]
    let films: [HistoryFilm]
}

/// A film in a range of days; its points are lists, for there are thousands: day's index, rank, admissions.
private struct HistoryFilm: Encodable {
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

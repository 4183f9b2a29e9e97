import BoxOffice
import Contract
import JSONCoding
import Storage

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

    /// Returns the audience of all movies in each week of a range, with ranks by audience.
    ///
    /// A week's audience is that of its days in the range whose charts are known.
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

    /// Returns each movie's audience up to the newest known day of a range, by its code.
    ///
    /// The sum of its days would miss those outside the charts, and those whose charts are not known.
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

    /// Returns the known days of a range, and each movie's ranks and audience on them, as JSON.
    ///
    /// - Parameter byWeek: Whether the points are weeks, named by their Mondays, instead of days.
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

/// A movie on a day, or in a week.
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

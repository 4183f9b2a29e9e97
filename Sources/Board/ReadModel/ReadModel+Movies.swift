import BoxOffice
import Contract
import FoundationEssentials
import JSONCoding
import SQLite

extension ReadModel {
    /// Stores a movie's facts.
    func applyMovie(_ code: MovieCode, _ data: [UInt8], in connection: Connection) throws -> LiveUpdate {
        try connection.execute(
            "insert into movie (code, data) values (?, ?) on conflict do update set data = excluded.data",
            code.description, data)
        return try connection.addUpdate(.movie, try JSON.encode(["code": code.description]))
    }

    /// Stores the outcome of a search for a poster.
    func applyPoster(_ code: MovieCode, _ event: Event, _ data: [UInt8], in connection: Connection) throws -> LiveUpdate
    {
        let version = try event.data(as: Poster.self).image?.version
        try connection.execute(
            """
            insert into poster (code, version, found, data) values (?, ?, ?, ?)
            on conflict do update set version = excluded.version, found = excluded.found, data = excluded.data
            """, code.description, version, Int(event.time.timeIntervalSince1970), data)
        return try connection.addUpdate(.poster, try JSON.encode(["code": code.description, "version": version]))
    }

    /// Returns a movie's facts, its days in the national chart and the alerts about it as JSON; nil if nothing is known.
    func movie(_ code: MovieCode) async throws -> [UInt8]? {
        try await database.read { connection in
            let movie = try connection.query(
                "select data from movie where code = ?", code.description, as: [UInt8].self
            ).first
            let poster = try connection.query(
                "select version from poster where code = ?", code.description, as: String?.self
            ).first
            let run = try connection.query(
                """
                select day, title, rank, audience, audience_total, sales, sales_total, screens, showings from line
                where code = ? and market = 'all' order by day
                """, code.description, as: String.self, String.self, Int?.self, Int?.self, Int?.self, Int?.self,
                Int?.self, Int?.self, Int?.self
            ).map(RunDay.init)
            let alerts = try alerts(about: code, in: connection)
            guard movie != nil || poster != nil || !run.isEmpty || !alerts.isEmpty else { return nil }
            return JSONObject([
                ("code", try JSON.encode(code)),
                ("title", try JSON.encode(run.last?.title)),
                ("movie", JSONObject.orNull(movie)),
                ("poster", try JSON.encode(PosterState(isKnown: poster != nil, version: poster ?? nil))),
                ("run", try JSON.encode(run)),
                ("alerts", JSONObject.list(alerts)),
            ]).bytes
        }
    }

    /// Returns a movie's poster, the time when it was found, and its version in the board's URLs; nil if none is known.
    func poster(_ code: MovieCode) async throws -> (version: String, found: Date, image: Poster.Image)? {
        try await database.read { connection in
            let row = try connection.query(
                "select version, found, data from poster where code = ?", code.description, as: String?.self, Int.self,
                [UInt8].self
            ).first
            guard let (version, found, data) = row, let version else { return nil }
            return try JSON.decode(Poster.self, from: data).image.map {
                (version, Date(timeIntervalSince1970: Double(found)), $0)
            }
        }
    }
}

/// A movie's line in the national chart of a day.
private struct RunDay: Encodable {
    let date: String
    let title: String
    let rank: Int?
    let audience: Int?
    let audienceTotal: Int?
    let sales: Int?
    let salesTotal: Int?
    let screens: Int?
    let showings: Int?
}

private struct PosterState: Encodable {
    let isKnown: Bool
    let version: String?
}

import BoxOffice
import Contract
import FoundationEssentials
import JSONCoding
import Storage

extension ReadModel {
    func applyMovie(_ code: MovieCode, _ event: Event, _ data: [UInt8], in connection: Connection) throws -> LiveUpdate
    {
        let titleEnglish = try event.data(as: EnglishTitle.self).titleEnglish
        try connection.execute(
            """
            insert into movie (code, title_english, data) values (?, ?, ?)
            on conflict do update set title_english = excluded.title_english, data = excluded.data
            """, code.description, titleEnglish, data)
        return try connection.addUpdate(.movie, try JSON.encode(["code": code.description]))
    }

    func titleEnglish(of code: String, in connection: Connection) throws -> String? {
        try connection.query("select title_english from movie where code = ?", code, as: String?.self).first ?? nil
    }

    /// Returns the version of a movie's poster, which is nil if none was found; nil if none was searched for.
    func posterVersion(of code: String, in connection: Connection) throws -> String?? {
        try connection.query("select version from poster where code = ?", code, as: String?.self).first
    }

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
                "select version, data from poster where code = ?", code.description, as: String?.self, [UInt8].self
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
                ("known", try JSON.encode(true)),
                ("code", try JSON.encode(code)),
                ("title", try JSON.encode(run.last?.title)),
                ("movie", JSONObject.orNull(movie)),
                ("poster", try JSON.encode(PosterView(version: poster?.0, data: poster?.1))),
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

// Only the English title is decoded: the facts are passed on as they were received.
private struct EnglishTitle: Decodable {
    let titleEnglish: String?
}

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

/// A movie's poster, how it was found, and the page that shows it.
private struct PosterView: Encodable {
    let isKnown: Bool
    let version: String?
    let site: String?
    let pageURL: String?
    /// What was searched, and the number of the hit.
    let query: String?
    let hit: Int?
    /// Whether an operator has chosen the image.
    let isChosen: Bool

    init(version: String?, data: [UInt8]?) throws {
        isKnown = data != nil
        self.version = version
        let poster = try data.map { try JSON.decode(Poster.self, from: $0) }
        let image = poster?.image
        query = poster?.query
        hit = poster?.hit
        isChosen = image?.source == Poster.Image.operatorSource
        site = image?.site
        // A browser runs what stands behind `javascript:`.
        pageURL = image?.pageURL.flatMap { url in
            ["http://", "https://"].contains { url.lowercased().hasPrefix($0) } ? url : nil
        }
    }
}

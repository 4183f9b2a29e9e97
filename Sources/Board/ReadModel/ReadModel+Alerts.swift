import BoxOffice
import Contract
import FoundationEssentials
import JSONCoding
import SQLite

extension ReadModel {
    /// Stores an alert as it was received; reads only the fields that alerts are filtered by.
    func applyAlert(_ event: Event, _ data: [UInt8], in connection: Connection) throws -> LiveUpdate {
        let alert = try event.data(as: AlertFields.self)
        let stored = JSONObject([
            ("id", try JSON.encode(event.id)), ("sequence", try JSON.encode(event.sequence)),
            ("time", try JSON.encode(event.time.ISO8601Format())), ("alert", data),
        ]).bytes
        try connection.execute(
            """
            insert or replace into alert (sequence, id, rule, day, code, title, retracts, data)
            values (?, ?, ?, ?, ?, ?, ?, ?)
            """, event.sequence, event.id, alert.rule, alert.date, alert.movieCode, alert.title, alert.retracts, stored)
        return try connection.addUpdate(.alert, stored)
    }

    /// Returns alerts as JSON, newest first, with the list of all rules that occur.
    ///
    /// - Parameters:
    ///   - before: Only alerts before this place in the notifier's log.
    ///   - rule: Only alerts of this rule.
    ///   - movie: Only alerts about movies with this code, or with this text in the title, in upper or lower case.
    func alerts(before: SequenceNumber?, rule: String?, movie: String?, limit: Int) async throws -> [UInt8] {
        let rows = try await database.read { connection in
            try connection.query(
                """
                select a.data, r.id from alert a left join alert r on r.retracts = a.id
                where a.sequence < coalesce(?, 9223372036854775807)
                  and (? is null or a.rule = ?)
                  and (? is null or a.code = ? or instr(lower(a.title), lower(?)) > 0)
                order by a.sequence desc limit ?
                """, before, rule, rule, movie, movie, movie, limit, as: [UInt8].self, String?.self)
        }
        let rules = try await database.read { connection in
            try connection.query("select distinct rule from alert order by rule", as: String.self)
        }
        return JSONObject([
            ("alerts", JSONObject.list(try rows.map(Self.withRetraction))), ("rules", try JSON.encode(rules)),
        ]).bytes
    }

    /// Returns the newest 200 alerts about a movie as JSON, newest first.
    func alerts(about code: MovieCode, in connection: Connection) throws -> [[UInt8]] {
        try connection.query(
            """
            select a.data, r.id from alert a left join alert r on r.retracts = a.id
            where a.code = ? order by a.sequence desc limit 200
            """, code.description, as: [UInt8].self, String?.self
        ).map(Self.withRetraction)
    }

    /// Returns an alert with the id of the alert that retracts it, if there is one.
    private static func withRetraction(_ data: [UInt8], _ retraction: String?) throws -> [UInt8] {
        guard let retraction else { return data }
        return data.dropLast() + Array(",\"retractedBy\":".utf8) + (try JSON.encode(retraction)) + [UInt8(ascii: "}")]
    }
}

// All rules have these fields, those of newer versions too.
private struct AlertFields: Decodable {
    let rule: String
    let date: String?
    let movieCode: String?
    let title: String?
    let retracts: String?
}

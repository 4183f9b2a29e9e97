import BoxOffice
import Contract
import FoundationEssentials
import JSONCoding
import Storage

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
        let titleEnglish = try alert.movieCode.flatMap { try self.titleEnglish(of: $0, in: connection) }
        return try connection.addUpdate(.alert, try Self.complete(stored, titleEnglish, retractedBy: nil))
    }

    /// Returns alerts as JSON, newest first, with the list of all rules that occur.
    ///
    /// - Parameters:
    ///   - before: A place in the notifier's log.
    ///   - movie: A code, or a part of a title, in upper or lower case.
    func alerts(before: SequenceNumber?, rule: String?, movie: String?, limit: Int) async throws -> [UInt8] {
        let rows = try await database.read { connection in
            try connection.query(
                """
                select a.data, m.title_english, r.id from alert a
                left join movie m on m.code = a.code
                left join alert r on r.retracts = a.id
                where a.sequence < coalesce(?, 9223372036854775807)
                  and (? is null or a.rule = ?)
                  and (? is null or a.code = ? or instr(lower(a.title), lower(?)) > 0
                    or instr(lower(m.title_english), lower(?)) > 0)
                order by a.sequence desc limit ?
                """, before, rule, rule, movie, movie, movie, movie, limit,
                as: [UInt8].self, String?.self, String?.self)
        }
        let rules = try await database.read { connection in
            try connection.query("select distinct rule from alert order by rule", as: String.self)
        }
        return JSONObject([
            ("alerts", JSONObject.list(try rows.map(Self.complete))), ("rules", try JSON.encode(rules)),
        ]).bytes
    }

    /// Returns the newest 200 alerts about a movie as JSON, newest first.
    func alerts(about code: MovieCode, in connection: Connection) throws -> [[UInt8]] {
        try connection.query(
            """
            select a.data, m.title_english, r.id from alert a
            left join movie m on m.code = a.code
            left join alert r on r.retracts = a.id
            where a.code = ? order by a.sequence desc limit 200
            """, code.description, as: [UInt8].self, String?.self, String?.self
        ).map(Self.complete)
    }

    /// Returns an alert with what other events say of it: its movie's English title, and the alert that retracts it.
    private static func complete(
        _ data: [UInt8], _ titleEnglish: String?, retractedBy retraction: String?
    ) throws -> [UInt8] {
        var members: [(name: String, value: [UInt8])] = []
        if let titleEnglish { members.append(("titleEnglish", try JSON.encode(titleEnglish))) }
        if let retraction { members.append(("retractedBy", try JSON.encode(retraction))) }
        guard !members.isEmpty else { return data }
        return data.dropLast() + [UInt8(ascii: ",")] + JSONObject(members).bytes.dropFirst()
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

extension ReadModel {
    /// How many failures are kept, and how many anomalies.
    private static let problemLimit = 100

    /// The ids of the requests that the board sends begin with this.
    static let requestPrefix = "board-"

    /// Stores a request's failure, and makes an update of the outcome if the board has sent the request.
    func applyRequest(
        _ stage: Topic.RequestStage, _ id: RequestID, _ event: Event, _ data: [UInt8], in connection: Connection
    ) throws -> [LiveUpdate] {
        guard stage != .accepted else { return [] }
        if stage == .failed {
            let failure = JSONObject([
                ("id", try JSON.encode(id)), ("time", try JSON.encode(event.time.ISO8601Format())), ("failed", data),
            ])
            try connection.execute(
                "insert or replace into failure (sequence, data) values (?, ?)", event.sequence, failure.bytes)
            try connection.execute(
                "delete from failure where sequence not in (select sequence from failure order by sequence desc limit ?)",
                Self.problemLimit)
        }
        guard id.description.hasPrefix(Self.requestPrefix) else { return [] }
        let update = JSONObject([
            ("id", try JSON.encode(id)), ("stage", try JSON.encode(stage)), ("outcome", data),
        ])
        return [try connection.addUpdate(.request, update.bytes)]
    }

    func applyAnomaly(_ event: Event, _ data: [UInt8], in connection: Connection) throws -> LiveUpdate {
        let anomaly = JSONObject([("time", try JSON.encode(event.time.ISO8601Format())), ("anomaly", data)])
        try connection.execute(
            "insert or replace into anomaly (sequence, data) values (?, ?)", event.sequence, anomaly.bytes)
        try connection.execute(
            "delete from anomaly where sequence not in (select sequence from anomaly order by sequence desc limit ?)",
            Self.problemLimit)
        return try connection.addUpdate(.anomaly, anomaly.bytes)
    }

    /// Returns the last failures of requests and the last anomalies as JSON arrays, each newest first.
    func recentProblems(limit: Int) async throws -> (failures: [UInt8], anomalies: [UInt8]) {
        try await database.read { connection in
            let failures = try connection.query(
                "select data from failure order by sequence desc limit ?", limit, as: [UInt8].self)
            let anomalies = try connection.query(
                "select data from anomaly order by sequence desc limit ?", limit, as: [UInt8].self)
            return (JSONObject.list(failures), JSONObject.list(anomalies))
        }
    }
}

import Contract
import FoundationEssentials
import JSONCoding
import SQLite

extension ReadModel {
    /// How many failures, and how many anomalies, are kept.
    private static let failureLimit = 100

    /// What the ids of the board's own requests begin with.
    static let requestPrefix = "board-"

    /// Takes in what became of a request: that it failed is kept, and that one of the board's own has ended is news.
    func takeRequest(
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
                Self.failureLimit)
        }
        guard id.description.hasPrefix(Self.requestPrefix) else { return [] }
        let news = JSONObject([
            ("id", try JSON.encode(id)), ("stage", try JSON.encode(stage)), ("outcome", data),
        ])
        return [try connection.addNews(.request, news.bytes)]
    }

    /// Takes in that something about the source's figures is odd.
    func takeAnomaly(_ event: Event, _ data: [UInt8], in connection: Connection) throws -> LiveUpdate {
        let anomaly = JSONObject([("time", try JSON.encode(event.time.ISO8601Format())), ("anomaly", data)])
        try connection.execute(
            "insert or replace into anomaly (sequence, data) values (?, ?)", event.sequence, anomaly.bytes)
        try connection.execute(
            "delete from anomaly where sequence not in (select sequence from anomaly order by sequence desc limit ?)",
            Self.failureLimit)
        return try connection.addNews(.anomaly, anomaly.bytes)
    }

    /// The last failures of requests and the last oddities of figures, each newest first, as lists of JSON.
    func troubles(limit: Int) async throws -> (failures: [UInt8], anomalies: [UInt8]) {
        try await database.read { connection in
            let failures = try connection.query(
                "select data from failure order by sequence desc limit ?", limit, as: [UInt8].self)
            let anomalies = try connection.query(
                "select data from anomaly order by sequence desc limit ?", limit, as: [UInt8].self)
            return (JSONObject.list(failures), JSONObject.list(anomalies))
        }
    }
}

import Contract
import FoundationEssentials
import JSONCoding
import Storage

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

    /// Stores an anomaly of the source's figures.
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

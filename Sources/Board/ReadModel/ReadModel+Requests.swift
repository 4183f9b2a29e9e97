import Events
import FoundationEssentials
import SQLite

extension ReadModel {
    /// How many failures are kept.
    private static let failureLimit = 100

    /// What the ids of the board's own requests begin with.
    static let requestPrefix = "board-"

    /// Takes in what became of a request: that it failed is kept, and that one of the board's own has ended is news.
    func takeRequest(
        _ stage: Topic.RequestStage, _ id: RequestID, _ event: Event, _ data: [UInt8], in connection: Connection
    ) throws -> [News] {
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

    /// The last failures of requests, newest first, as JSON.
    func failures(limit: Int) async throws -> [UInt8] {
        let failures = try await database.read { connection in
            try connection.query(
                "select data from failure order by sequence desc limit ?", limit, as: [UInt8].self)
        }
        return JSONObject.list(failures)
    }
}

import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import SQLite
import TestSupport
import Testing

/// A log in a fresh database.
struct Log {
    let database: Database
    var log: EventLog
    var time = Date(timeIntervalSince1970: 1_795_242_180.123)

    init(in folder: TemporaryFolder) async throws {
        database = try Database(path: folder.file("events.db"), schema: Schema(EventLog.schema))
        log = try await database.read { try EventLog(source: "/marquee/worker", in: $0) }
    }

    @discardableResult func append(_ drafts: EventDraft...) async throws -> [LoggedEvent] {
        try await append(drafts)
    }

    @discardableResult func append(_ drafts: [EventDraft]) async throws -> [LoggedEvent] {
        try await database.write { [log, time] in try log.append(drafts, at: time, in: $0) }
    }

    func page(
        of stream: Stream, after: SequenceNumber = .zero, prefix: String = "", limit: Int = 500
    ) async throws -> EventLog.Page {
        try await database.read { [log] in
            try log.events(of: stream, after: after, prefix: prefix, limit: limit, in: $0)
        }
    }

    func latest(_ prefix: String = "", limit: Int = 500) async throws -> [LoggedEvent] {
        try await database.read { [log] in try log.latest(prefix: prefix, limit: limit, in: $0).events }
    }

    func positions() async throws -> [Stream: SequenceNumber] {
        try await database.read { [log] in try log.positions(in: $0) }
    }
}

/// A draft whose data is the text it is about.
func draft(_ topic: String, id: String? = nil, for request: RequestID? = nil) throws -> EventDraft {
    try EventDraft(#require(Topic(topic)), id: id, correlationID: request, encoding: ["about": topic])
}

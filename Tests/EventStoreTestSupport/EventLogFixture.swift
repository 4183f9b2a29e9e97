public import Contract
public import EventStore
public import FoundationEssentials
public import Storage
public import TestSupport
import Testing

/// An event log in a fresh database.
public struct EventLogFixture: Sendable {
    /// The database with the log.
    public let database: Database
    /// The log.
    public var log: EventLog
    /// The time at which events are appended.
    public var time = Date(timeIntervalSince1970: 1_795_242_180.123)

    /// Opens the log of a folder's `events.db`.
    public init(in folder: TemporaryFolder) async throws {
        database = try Database(path: folder.file("events.db"), schema: Schema("test", version: 1, EventLog.tables))
        log = try await database.read { try EventLog(source: "/marquee/worker", in: $0) }
    }

    /// Appends events.
    @discardableResult public func append(_ drafts: EventDraft...) async throws -> [LoggedEvent] {
        try await append(drafts)
    }

    /// Appends events.
    @discardableResult public func append(_ drafts: [EventDraft]) async throws -> [LoggedEvent] {
        try await database.write { [log, time] in try log.append(drafts, at: time, in: $0) }
    }

    /// Reads a page of a stream.
    public func page(
        of stream: Contract.Stream, after: SequenceNumber = .zero, prefix: String = "", limit: Int = 500
    ) async throws -> EventLog.Page {
        try await database.read { [log] in
            try log.events(of: stream, after: after, prefix: prefix, limit: limit, in: $0)
        }
    }

    /// Reads the newest event of each topic that begins with a prefix.
    public func latest(_ prefix: String = "", limit: Int = 500) async throws -> [LoggedEvent] {
        try await database.read { [log] in try log.latest(prefix: prefix, limit: limit, in: $0).events }
    }

    /// Reads the sequence of each stream's newest event.
    public func positions() async throws -> [Contract.Stream: SequenceNumber] {
        try await database.read { [log] in try log.positions(in: $0) }
    }
}

/// Makes a draft whose data is the text of its topic.
public func draft(_ topic: String, id: String? = nil, for request: RequestID? = nil) throws -> EventDraft {
    try EventDraft(#require(Topic(topic)), id: id, correlationID: request, encoding: ["about": topic])
}

import BoxOffice
import Concurrency
import Contract
import EventStore
import FoundationEssentials
import Operations
import SQLite
import TestSupport
import Testing

@testable import Worker

/// A worker's memory in a fresh database, with everything it publishes kept, and a wall clock that a test sets.
final class Desk: Sendable {
    /// 2024-06-05, noon in Korea.
    static let noon = Date(timeIntervalSince1970: 1_717_556_400)

    let folder: TemporaryFolder
    let database: Database
    let store: WorkerStore
    let queue = RequestQueue()
    private let time = Locked(noon)
    let clock: WallClock
    let log = LogLines()
    private let published: Locked<[LoggedEvent]>
    private let news: AsyncStream<LoggedEvent>

    init(room: Int = 10_000) async throws {
        folder = try TemporaryFolder()
        database = try Database(path: folder.file("worker.db"), schema: WorkerStore.schema)
        clock = WallClock { [time] in time.withLock { $0 } }
        let (news, teller) = AsyncStream.makeStream(of: LoggedEvent.self)
        let published = Locked<[LoggedEvent]>([])
        self.news = news
        self.published = published
        let events = try await database.read { try EventLog(source: "/marquee/worker", in: $0) }
        store = WorkerStore(database: database, log: events, inbox: RequestInbox(limit: room), clock: clock) { events in
            published.withLock { $0 += events }
            for event in events { teller.yield(event) }
        }
    }

    func setClock(to time: Date) {
        self.time.withLock { $0 = time }
    }

    var logger: Logger { log.logger(clock: clock) }

    /// The topics of what was published so far, in order.
    var topics: [String] { published.withLock { $0.map(\.topic.description) } }

    /// What was published so far on topics that begin with `prefix`.
    func events(_ prefix: String = "") -> [LoggedEvent] {
        published.withLock { $0.filter { $0.topic.description.hasPrefix(prefix) } }
    }

    /// Waits for a request's end, whose event has not been waited for before.
    func end(of id: RequestID) async throws -> LoggedEvent {
        for await event in news {
            if case .request(.done, id) = event.topic { return event }
            if case .request(.failed, id) = event.topic { return event }
        }
        throw CancellationError()
    }

    /// Waits for the ends of so many requests that have not been waited for before.
    func ends(_ count: Int) async throws {
        var count = count
        for await event in news {
            if case .request(.done, _) = event.topic { count -= 1 }
            if case .request(.failed, _) = event.topic { count -= 1 }
            if count == 0 { return }
        }
        throw CancellationError()
    }

    /// What was published is what is in the log, once and in its order.
    func expectPublishedInOrder() async throws {
        let logged = try await database.read { [store] connection in
            try store.log.events(of: .request, after: .zero, limit: 500, in: connection).events
        }
        #expect(events("request.") == logged)
    }

    /// Takes a request in, as both sockets do.
    @discardableResult
    func accept(_ request: Request, as id: String) async throws -> AcceptedRequest {
        let accepted = AcceptedRequest(id: try #require(RequestID(id)), request: request)
        let answer = try await store.offer([WorkerStore.IntakeItem(accepted: accepted, frames: request.frames)])
        #expect(answer == [.accepted])
        return accepted
    }
}

/// The lines of a log.
final class LogLines: Sendable {
    private let lines: AsyncStream<String>
    private let teller: AsyncStream<String>.Continuation
    private let all = Locked<[String]>([])

    init() {
        (lines, teller) = AsyncStream.makeStream(of: String.self)
    }

    func logger(clock: WallClock = .system) -> Logger {
        Logger(label: "test", level: .debug, format: .json, wallClock: clock) { [all, teller] bytes in
            let line = String(decoding: bytes, as: UTF8.self)
            all.withLock { $0.append(line) }
            teller.yield(line)
        }
    }

    /// What was logged so far.
    var text: String { all.withLock { $0.joined() } }

    /// How many lines hold `text`.
    func count(of text: String) -> Int {
        all.withLock { $0.count { $0.contains(text) } }
    }

    /// Waits for a line that holds `text` and has not been waited for before; nil if the log ends first.
    func line(_ text: String) async -> String? {
        await lines.first { $0.contains(text) }
    }

    /// Nothing will be logged any more.
    func end() {
        teller.finish()
    }
}

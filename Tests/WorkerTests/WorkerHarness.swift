import BoxOffice
import Concurrency
import Contract
import EventStore
import FoundationEssentials
import Networking
import ServiceRuntime
import Storage
import TestSupport
import Testing
import Upstreams

@testable import Worker

/// A worker's store in a fresh database, which keeps what it publishes, with a queue and a wall clock that a test sets.
final class WorkerHarness: Sendable {
    /// 2024-06-05, noon in Korea.
    static let noon = Date(timeIntervalSince1970: 1_717_556_400)

    let folder: TemporaryFolder
    let database: Database
    let store: WorkerStore
    let queue = RequestQueue()
    private let time = Locked(noon)
    let wallClock: WallClock
    let runtime: Runtime
    let metrics = WorkerMetrics(Metrics(), clock: ManualClock())
    let log = LogLines()
    private let published: Locked<[LoggedEvent]>
    private let stream: AsyncStream<LoggedEvent>
    private let observer = Locked<@Sendable (CommittedChanges) -> Void>({ _ in })

    init(room: Int = 10_000) async throws {
        folder = try TemporaryFolder()
        database = try Database(path: folder.file("worker.db"), schema: WorkerStore.schema)
        wallClock = WallClock { [time] in time.withLock { $0 } }
        runtime = Runtime(logger: log.logger(clock: wallClock), wallClock: wallClock, clock: ManualClock())
        let (stream, continuation) = AsyncStream.makeStream(of: LoggedEvent.self)
        let published = Locked<[LoggedEvent]>([])
        self.stream = stream
        self.published = published
        let events = try await database.read { try EventLog(source: "/marquee/worker", in: $0) }
        let handler = CommitHandler(
            publish: { events in
                published.withLock { $0 += events }
                for event in events { continuation.yield(event) }
            }, queue: queue, metrics: metrics, runtime: runtime, scheduleSignal: WakeSignal(),
            backfillSignal: WakeSignal())
        store = WorkerStore(
            database: database, log: events, inboxLimit: room, seal: SecretSeal(), runtime: runtime
        ) { [observer] changes in
            handler.handle(changes)
            observer.withLock { $0 }(changes)
        }
    }

    /// Calls `observer` after each commit, once its events are published.
    func observeCommits(_ observer: @escaping @Sendable (CommittedChanges) -> Void) {
        self.observer.withLock { $0 = observer }
    }

    func setClock(to time: Date) {
        self.time.withLock { $0 = time }
    }

    /// The topics of the events published so far, in order.
    var topics: [String] { published.withLock { $0.map(\.topic.description) } }

    /// Returns the events published so far on topics that begin with `prefix`.
    func events(_ prefix: String = "") -> [LoggedEvent] {
        published.withLock { $0.filter { $0.topic.description.hasPrefix(prefix) } }
    }

    /// Waits for the end of a request; each end can be waited for once.
    func end(of id: RequestID) async throws -> LoggedEvent {
        for await event in stream {
            if case .request(.done, id) = event.topic { return event }
            if case .request(.failed, id) = event.topic { return event }
        }
        throw CancellationError()
    }

    /// Waits for the ends of `count` requests; each end can be waited for once.
    func ends(_ count: Int) async throws {
        var count = count
        for await event in stream {
            if case .request(.done, _) = event.topic { count -= 1 }
            if case .request(.failed, _) = event.topic { count -= 1 }
            if count == 0 { return }
        }
        throw CancellationError()
    }

    /// Expects that the events of the log were published, once and in its order.
    func expectPublishedInOrder() async throws {
        let logged = try await database.read { [store] connection in
            try store.log.events(of: .request, after: .zero, limit: 500, in: connection).events
        }
        #expect(events("request.") == logged)
    }

    /// Accepts a request, as both endpoints do.
    @discardableResult
    func accept(_ request: Request, as id: String) async throws -> AcceptedRequest {
        let accepted = AcceptedRequest(id: try #require(RequestID(id)), request: request)
        #expect(try await accept([IntakeItem(accepted: accepted, frames: request.frames)]) == [.accepted])
        return accepted
    }

    func accept(_ items: [IntakeItem]) async throws -> [IntakeResult] {
        try await store.write { try RequestInbox($0).accept(items) }
    }

    func reject(_ requests: [RejectedRequest]) async throws {
        try await store.write { try RequestInbox($0).reject(requests) }
    }

    /// Takes over what waits, as if the worker that had it had died.
    func claimPending() async throws -> [AcceptedRequest] {
        try await store.write { transaction in
            try transaction.connection.execute("update inbox set claimed_by = -1 where claimed_by <> 0")
            return try RequestInbox(transaction).claimPending()
        }
    }

    @discardableResult
    func settle(_ accepted: AcceptedRequest, with result: FetchResult, askedAt: Date) async throws -> [Anomaly]? {
        try await store.write { try SettlementStore($0).settle(accepted, with: result, askedAt: askedAt) }
    }

    @discardableResult
    func settle(_ accepted: AcceptedRequest, with error: ContractError) async throws -> [Anomaly]? {
        try await store.write { try SettlementStore($0).settle(accepted, with: error) }
    }

    /// Returns what the log has fresh of a request's result at noon.
    func fresh(_ request: Request) async throws -> FreshEvents {
        try await store.read { try Freshness($0).events(for: request, at: Self.noon) }
    }

    func attachments(of id: RequestID) async throws -> Attachments {
        try await store.read { try OrderStore($0).attachments(of: id) }
    }

    func intent(of id: RequestID) async throws -> OrderIntent? {
        try await store.read { try OrderStore($0).intent(of: id) }
    }

    func insert(_ intent: OrderIntent, of id: RequestID) async throws {
        try await store.write { try OrderStore($0).insert(intent, of: id) }
    }
}

extension WorkerHarness {
    /// Makes a fetcher that calls KOBIS and Kakao at these addresses, once each, and has no key for one without address.
    func fetcher(
        kobis: String? = nil, kakao: String? = nil, client: HTTPClient = HTTPClient(retry: .patient),
        quota: QuotaLedger? = nil
    ) -> Fetcher {
        Fetcher(
            store: store, client: client,
            kobis: kobis.map { Kobis(url: $0, key: "0123456789abcdef0123456789abcdef") },
            posters: kakao.map {
                PosterSearch(
                    client: client, search: KakaoImageSearch(url: $0, key: "fedcba9876543210"),
                    allowsPrivateAddresses: true)
            }, quota: quota, runtime: runtime)
    }

    /// Makes a service on the harness's queue, whose pauses `clock` ends.
    func service(
        _ fetcher: Fetcher, metrics: Metrics = Metrics(), clock: ManualClock = ManualClock()
    ) -> FetchService {
        var runtime = runtime
        runtime.clock = clock
        return FetchService(
            queue: queue, fetcher: { _ in fetcher }, store: store, metrics: WorkerMetrics(metrics, clock: clock),
            runtime: runtime)
    }

    /// Makes an intake into the harness's inbox.
    func intake() -> RequestIntake {
        RequestIntake(
            store: store, queue: queue, logger: RateLimitedLogger(runtime.logger), metrics: metrics, runtime: runtime)
    }

    /// Runs the service while `body` runs, then stops it.
    func serve(_ service: FetchService, _ body: () async throws -> Void) async throws {
        let running = Task { try await service.run() }
        do {
            try await body()
        } catch {
            running.cancel()
            throw error
        }
        await service.stop()
        try await running.value
    }
}

extension RetryPolicy {
    /// One attempt, with all the time that its request has.
    static let patient = RetryPolicy(attempts: 1, attemptTimeout: .seconds(3_600))
}

extension Fetcher {
    /// Returns the result of a request with a random id.
    func result(for request: Request, asOf now: Date) async throws -> FetchResult {
        try await result(for: AcceptedRequest(id: .random(), request: request), asOf: now)
    }
}

extension Database {
    /// Stops the file from growing, as if its disk were full, or lets it grow again.
    func setFull(_ isFull: Bool) async throws {
        try await write { connection in
            // SQLite takes a limit below the file's size for that size.
            if isFull {
                try connection.execute("pragma max_page_count = 1")
            } else {
                try connection.execute("pragma max_page_count = 1000000")
            }
        }
    }
}

/// The lines of a log.
final class LogLines: Sendable {
    private let lines: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation
    private let all = Locked<[String]>([])

    init() {
        (lines, continuation) = AsyncStream.makeStream(of: String.self)
    }

    func logger(clock: WallClock = .system) -> Logger {
        Logger(label: "test", level: .debug, format: .json, wallClock: clock) { [all, continuation] bytes in
            let line = String(decoding: bytes, as: UTF8.self)
            all.withLock { $0.append(line) }
            continuation.yield(line)
        }
    }

    /// The lines logged so far.
    var text: String { all.withLock { $0.joined() } }

    /// Returns the number of lines that contain `text`.
    func count(of text: String) -> Int {
        all.withLock { $0.count { $0.contains(text) } }
    }

    /// Waits for a line that contains `text`; each line can be waited for once. Returns nil if the log ends first.
    func line(_ text: String) async -> String? {
        await lines.first { $0.contains(text) }
    }

    /// Ends the log.
    func end() {
        continuation.finish()
    }
}

extension AcceptedRequest {
    /// The request as a start finds it in the inbox: the run that accepted it may have begun it.
    var triedOnce: AcceptedRequest {
        var copy = self
        copy.tries = 1
        return copy
    }
}

import Concurrency
import EventStore
import FoundationEssentials
import Operations
import SQLite

/// Deletes the requests that have ended long ago, and their events, once an hour.
///
/// Charts, movies, products and anomalies stay for ever.
struct RequestRetention: Service {
    /// The rows that one transaction looks at: others write between two of them.
    private static let batch = 1_000
    private static let pause = Duration.seconds(3_600)

    let store: WorkerStore
    /// How long a request and its events stay, in days.
    let days: Int
    let logger: Logger
    let clock: any Clock<Duration>
    private let wakeSignal = RestartableWakeSignal()

    init(store: WorkerStore, days: Int, logger: Logger, clock: any Clock<Duration>) {
        self.store = store
        self.days = days
        self.logger = logger
        self.clock = clock
    }

    func run() async throws {
        let signal = wakeSignal.start()
        await signal.runLoop(clock) {
            do {
                try await expire { signal.isStopped }
            } catch {
                logger.warning("old requests cannot be deleted; trying again in an hour", [.error: "\(error)"])
            }
            return Self.pause
        }
    }

    func stop() async {
        wakeSignal.stop()
    }

    /// Deletes what is too old, in short transactions, until nothing is left or `isStopped`.
    func expire(until isStopped: () -> Bool = { false }) async throws {
        let now = store.wallClock.now()
        let date = now - TimeInterval(days) * 86_400
        var last: Int? = 0
        while let number = last, !isStopped() {
            last = try await store.database.write { [store] connection in
                try store.inbox.expire(before: date, now: now, after: number, count: Self.batch, in: connection)
            }
        }
        var count = Self.batch
        while count == Self.batch, !isStopped() {
            count = try await store.database.write { [store] connection in
                try store.log.expireRequests(before: date, count: Self.batch, in: connection)
            }
        }
    }
}

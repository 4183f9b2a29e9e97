import Concurrency
import EventStore
import FoundationEssentials
import ServiceRuntime

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
    let runtime: Runtime
    private let wakeSignal = WakeSignal()

    func run() async throws {
        await wakeSignal.runLoop(runtime.clock) {
            do {
                try await expire { wakeSignal.isStopped }
            } catch {
                runtime.logger.warning("old requests cannot be deleted; trying again in an hour", [.error: "\(error)"])
            }
            return Self.pause
        }
    }

    func stop() async {
        wakeSignal.stop()
    }

    /// Deletes what is too old, in short transactions, until nothing is left or `isStopped`.
    func expire(until isStopped: () -> Bool = { false }) async throws {
        let date = runtime.wallClock.now() - TimeInterval(days) * 86_400
        var last: Int? = 0
        while let number = last, !isStopped() {
            last = try await store.write { transaction in
                try RequestInbox(transaction).expire(before: date, after: number, count: Self.batch)
            }
        }
        var count = Self.batch
        while count == Self.batch, !isStopped() {
            count = try await store.write { transaction in
                try transaction.log.expireRequests(before: date, count: Self.batch, in: transaction.connection)
            }
        }
    }
}

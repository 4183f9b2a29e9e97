import Concurrency
import ServiceRuntime
import Storage

/// Shows the other workers that this one lives, and takes over the requests of those that do not.
struct TakeoverService: Service {
    /// How often this worker shows that it lives.
    private static let interval = Duration.seconds(5)

    /// When this worker showed that it lives, without a long pause since `first`.
    private struct Signs {
        var first: Duration
        var last: Duration
    }

    let store: WorkerStore
    let runtime: Runtime
    private let wakeSignal = WakeSignal()
    private let age: Stopwatch
    private let signs = Locked<Signs?>(nil)

    init(store: WorkerStore, runtime: Runtime) {
        self.store = store
        self.runtime = runtime
        age = Stopwatch(runtime.clock)
    }

    /// Fails when this worker cannot use the database any more, because a newer version has changed its tables.
    func run() async throws {
        let logger = RateLimitedLogger(runtime.logger)
        try await wakeSignal.runLoop(runtime.clock) {
            do {
                try await look()
            } catch let error as DatabaseError where [.inUse, .newerSchema].contains(error.kind) {
                throw error
            } catch {
                signs.withLock { $0 = nil }
                logger.error("other workers cannot be seen; trying again", [.error: "\(error)"])
            }
            return .seconds(1)
        }
    }

    func stop() async {
        wakeSignal.stop()
    }

    private func look() async throws {
        let now = age.elapsed
        let (isDue, mayJudge) = signs.withLock { signs in
            guard let signs else { return (true, false) }
            return (now - signs.last >= Self.interval, now - signs.first >= .seconds(WorkerRegistry.lifetime))
        }
        let (dead, request) = try await store.read { try WorkerRegistry($0).hasLeft() }
        // After an outage of the database all look dead: this worker judges when the others have had time to show up.
        let removesDead = dead && mayJudge
        guard isDue || removesDead || request else { return }
        try await store.write { transaction in
            let registry = WorkerRegistry(transaction)
            if isDue { try registry.sign() }
            if removesDead { try registry.removeDead() }
            if removesDead || request { try RequestInbox(transaction).claimPending() }
        }
        guard isDue else { return }
        signs.withLock { signs in
            let isLate = signs.map { now - $0.last > Self.interval * 2 } ?? true
            signs = Signs(first: isLate ? now : signs?.first ?? now, last: now)
        }
    }
}

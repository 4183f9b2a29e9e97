import Concurrency
import FoundationEssentials
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
                if let time = try await look() { checkClock(against: time, logger) }
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

    /// Says so if this machine's clock is wrong: each worker counts a day's calls by its own.
    private func checkClock(against time: Int, _ logger: RateLimitedLogger) {
        let difference = Int(runtime.wallClock.now().timeIntervalSince1970) - time
        guard store.database.isShared, abs(difference) > 60 else { return }
        logger.error(
            "the clocks of this machine and of the database differ; set both by NTP",
            [.error: "this machine's is \(difference) s ahead"])
    }

    /// Looks at the other workers; returns the database's time if this one has shown that it lives.
    private func look() async throws -> Int? {
        let now = age.elapsed
        // While the server answered nobody, the others could not show up either.
        let isInTime = { @Sendable [age] in age.elapsed - now < Self.interval }
        defer { if !isInTime() { signs.withLock { $0 = nil } } }
        let (isDue, mayJudge) = signs.withLock { signs in
            guard let signs else { return (true, false) }
            return (now - signs.last >= Self.interval, now - signs.first >= .seconds(WorkerRegistry.lifetime))
        }
        let (dead, request) = try await store.read { try WorkerRegistry($0).hasLeft() }
        // After an outage of the database all look dead: this worker judges when the others have had time to show up.
        let removesDead = dead && mayJudge
        guard isDue || removesDead || request else { return nil }
        let time = try await store.write { transaction in
            let registry = WorkerRegistry(transaction)
            let time = isDue ? try registry.sign() : nil
            if removesDead, isInTime() { try registry.removeDead() }
            if removesDead || request { try RequestInbox(transaction).claimPending() }
            return time
        }
        guard let time else { return nil }
        signs.withLock { signs in
            let isLate = signs.map { now - $0.last > Self.interval * 2 } ?? true
            signs = Signs(first: isLate ? now : signs?.first ?? now, last: now)
        }
        return isInTime() ? time : nil
    }
}

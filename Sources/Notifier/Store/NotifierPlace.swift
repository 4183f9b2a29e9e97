import Concurrency
import Dispatch
import Health
import ServiceRuntime
import Storage

/// The place of the one notifier that works: of several with one database on a server, the others wait for it.
struct NotifierPlace: Sendable {
    let location: DatabaseLocation
    let configuration: Configuration
    let runtime: Runtime

    /// Opens the database; on a server, waits until no other notifier has it open. Returns nil if `stopRequested` returns
    /// first.
    func open(until stopRequested: @escaping @Sendable () async -> Void) async throws -> Database? {
        do throws(DatabaseError) {
            return try Database(location, schema: NotifierStore.schema)
        } catch {
            guard case .server = location, error.kind == .inUse else { throw error }
        }
        runtime.logger.info("another notifier is at work; this one waits to take its place")
        // Without the metrics of the process, to which the server of the work adds its own.
        let health = try HealthServer(
            address: configuration.notifierHTTP, hosts: configuration.boardHosts, metrics: Metrics(), liveness: [],
            readiness: [HealthCheck("standby") { "standby: another notifier is at work" }])
        let opened = Locked<Database?>(nil)
        let wakeSignal = WakeSignal()
        let waiting = SimpleService {
            try await wakeSignal.runLoop(after: .seconds(1), runtime.clock) {
                if let database = try await openIfFree() {
                    opened.withLock { $0 = database }
                    wakeSignal.stop()
                }
                return .seconds(1)
            }
        } stop: {
            wakeSignal.stop()
        }
        try await ServiceGroup([health, waiting], grace: .seconds(1)).run(until: stopRequested)
        return opened.withLock { $0 }
    }

    /// Opens the database; returns nil while another notifier has it open, or the server is away.
    ///
    /// - Throws: A `DatabaseError` of the kind `newerSchema` or `refused`, which a wait does not mend.
    private func openIfFree() async throws -> Database? {
        try await withCheckedThrowingContinuation { continuation in
            // Waits for the server, and not on the threads that tasks share.
            DispatchQueue.global().async {
                do throws(DatabaseError) {
                    continuation.resume(returning: try Database(location, schema: NotifierStore.schema))
                } catch {
                    guard [.newerSchema, .refused].contains(error.kind) else {
                        return continuation.resume(returning: nil)
                    }
                    continuation.resume(throwing: error)
                }
            }
        }
    }

    /// Makes the service that keeps the place, and fails when another notifier has taken it.
    static func keeper(of database: Database, runtime: Runtime) -> any Service {
        let wakeSignal = WakeSignal()
        let logger = RateLimitedLogger(runtime.logger)
        return SimpleService {
            try await wakeSignal.runLoop(runtime.clock) {
                do {
                    // Whoever has not written for fifteen seconds may be replaced.
                    try await database.write { _ in }
                } catch let error as DatabaseError where [.inUse, .newerSchema].contains(error.kind) {
                    throw error
                } catch {
                    // A notifier without a new event has nothing else to write.
                    logger.error("the database cannot be used; trying again", [.error: "\(error)"])
                }
                return .seconds(5)
            }
        } stop: {
            wakeSignal.stop()
        }
    }
}

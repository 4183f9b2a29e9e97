public import BoxOffice
import Concurrency
import Contract
import Dispatch
public import EventStore
import FoundationEssentials
import Health
import Messaging
public import ServiceRuntime
public import Storage
import ZeroMQ

/// The process that turns ranking events into alerts.
public struct NotifierProcess: Sendable {
    private let configuration: Configuration
    private let runtime: Runtime
    private let rules: AlertRules
    private let since: KoreanDate?
    private let sinks: [ConfiguredSink]
    private let dryRun: (@Sendable (String) -> Void)?
    private let reloading: RuleFileReloading?

    /// Makes a notifier; opens nothing yet. Charts of days from `since` on fire in any order; with `dryRun`, which gets a line
    /// for each alert that a sink would get, nothing is delivered.
    public init(
        _ configuration: Configuration, rules: AlertRules, since: KoreanDate? = nil, sinks: [ConfiguredSink] = [],
        dryRun: (@Sendable (String) -> Void)? = nil, reloading: RuleFileReloading? = nil, runtime: Runtime
    ) {
        self.configuration = configuration
        self.rules = rules
        self.since = since
        self.sinks = sinks
        self.dryRun = dryRun
        self.reloading = reloading
        self.runtime = runtime
    }

    /// Opens the database and the sockets, and runs the services until `stopRequested` returns or one of them fails.
    public func run(until stopRequested: @escaping @Sendable () async -> Void) async throws {
        runtime.metrics.addProcess(startedAt: runtime.wallClock.now())
        // Waited for twice, which a stream of signals cannot be: for the database, and in it.
        let isStopping = AsyncCondition(false)
        async let _: Void = {
            await stopRequested()
            isStopping.update { $0 = true }
        }()
        let stop: @Sendable () async -> Void = { _ = await isStopping.wait { $0 } }
        guard let storage = try await openStorage(until: stop) else { return }
        let sockets = try await openSockets()
        let services = try await makeServices(storage, sockets)
        // After everything that can end the start, whose error is then the only line.
        try DataFolder(configuration.dataFolder).narrowPermissions(logger: runtime.logger)
        runtime.logger.warnOfSecretsInEnvironment(configuration)
        runtime.logger.info(
            "notifier ready",
            [
                .alerts: sockets.alerts.addresses[0], .alertCommands: sockets.commands.addresses[0],
                .http: services.health.address,
            ])
        try await ServiceGroup(services.all, grace: .seconds(1)).run(until: stop)
        await sockets.io.shutdown()
        await storage.database.close()
        runtime.logger.info("notifier stopped")
    }

    // MARK: Storage

    /// Returns a notifier's database, for backups, checks and queries from outside.
    public static func log(in location: DatabaseLocation) -> LogDatabase {
        LogDatabase(location, owner: "notifier", schema: NotifierStore.schema)
    }

    /// Returns the baseline of the notifier with this database, and the day since which it was asked for alerts.
    public static func baseline(in file: LogDatabase) throws -> (baseline: BaselinePosition, since: KoreanDate?) {
        try file.read { _, connection in
            let reading = try NotifierStore.readingState(in: connection)
            return (reading?.baseline ?? .none, reading?.since)
        }
    }

    private struct Storage {
        let database: Database
        let log: EventLog
        let positions: [Contract.Stream: SequenceNumber]
    }

    private func openStorage(until stopRequested: @escaping @Sendable () async -> Void) async throws -> Storage? {
        _ = try DataFolder(configuration.dataFolder)
        let location = DatabaseLocation(of: .notifier, configuration)
        let place = NotifierPlace(location: location, configuration: configuration, runtime: runtime)
        guard let database = try await place.open(until: stopRequested) else { return nil }
        runtime.metrics.addDatabase(database, at: location)
        return try await database.read { connection in
            let log = try EventLog(source: "/marquee/notifier", in: connection)
            return Storage(database: database, log: log, positions: try log.positions(in: connection))
        }
    }

    // MARK: Sockets

    private struct Sockets {
        let io: IOThread
        let access: AccessControl
        let alerts: Socket
        let commands: Socket
        let heartbeats: HeartbeatReader
    }

    private func openSockets() async throws -> Sockets {
        let access = try AccessControl(configuration, of: .notifier, runtime)
        let io = try access.makeThread()
        return Sockets(
            io: io, access: access,
            alerts: try await io.open(
                .publisher, bind: [configuration.alerts.description], options: access.socketOptions),
            commands: try await io.open(
                .router, bind: [configuration.alertCommands.description], options: access.socketOptions),
            heartbeats: try await HeartbeatReader(
                io, of: "worker", addresses: configuration.reachableEvents, clock: runtime.clock))
    }

    // MARK: Services

    /// The services in the order in which they start. They stop in reverse: the work first, which still publishes.
    private typealias Services = (health: HealthServer, all: [any Service])

    private func makeServices(_ storage: Storage, _ sockets: Sockets) async throws -> Services {
        let publisher = Publisher(sockets.alerts, of: storage.log, positions: storage.positions)
        publisher.report(to: runtime.metrics)
        let delivery = DeliveryService(
            to: sinks, board: configuration.publicURL, from: storage.database, storage.log, dryRun: dryRun,
            runtime: runtime)
        try await delivery.closeRemovedSinks()
        let metrics = NotifierMetrics(runtime.metrics)
        @Sendable func makeAlertService(_ rules: AlertRules, _ runtime: Runtime) async throws -> AlertService {
            let store = NotifierStore(
                database: storage.database, log: storage.log, runtime: runtime, publish: publisher.publish,
                outbox: delivery.outbox)
            let alertState = try await store.loadAlertState(rules: rules, since: since)
            let subscription = try await Subscription(
                sockets.io, events: configuration.reachableEvents, commands: configuration.reachableCommands,
                // Whole streams, because what a chart fires depends on which came before it, and only a whole stream is
                // delivered in its order.
                prefixes: streams(of: rules, delivery).map { "\($0.rawValue)." }, from: alertState.position
            ) { note in
                if case .repaired(_, let count) = note { metrics.repaired.add(count) }
                note.log(to: runtime.logger)
            }
            return AlertService(
                subscription: subscription, store: store, alertState: alertState, metrics: metrics, runtime: runtime)
        }
        let ruleService = RuleService(
            try await makeAlertService(rules, runtime), reloading: reloading, runtime: runtime
        ) { file, runtime in
            delivery.replaceSinks(by: file.sinks, runtime)
            return try await makeAlertService(file.rules, runtime)
        }
        runtime.metrics.addSockets([
            "events": { ruleService.current.subscription.counters }, "heartbeats": { sockets.heartbeats.counters },
            "alerts": { sockets.alerts.counters }, "alertCommands": { sockets.commands.counters },
        ])
        let health = try makeHealthServer(storage, sockets)
        return (
            health,
            [
                health,
                SimpleService {
                    await sockets.heartbeats.run()
                } stop: {
                    await sockets.heartbeats.close()
                },
                makePublishing(publisher, sockets),
                makeCommandService(storage, sockets, delivery.outbox),
                delivery, ruleService,
            ] + (storage.database.isRemote ? [NotifierPlace.keeper(of: storage.database, runtime: runtime)] : [])
        )
    }

    private func makePublishing(_ publisher: Publisher, _ sockets: Sockets) -> SimpleService {
        SimpleService { [runtime] in
            async let _ = sockets.access.disconnectWithdrawnClients(from: sockets.io)
            await publisher.run(now: runtime.wallClock.now, clock: runtime.clock)
        } stop: {
            await sockets.alerts.close()
        }
    }

    private func makeCommandService(_ storage: Storage, _ sockets: Sockets, _ outbox: Outbox) -> SimpleService {
        let (requestGuard, uptime) = (sockets.access.requestGuard, Stopwatch(runtime.clock))
        let handler = LogHandler(
            log: storage.log, database: storage.database, requestGuard: requestGuard,
            own: ["retry": { try await outbox.answerRetry($0, in: storage.database) }]
        ) {
            .status(try await status(storage, outbox, uptime: uptime.elapsed))
        }
        return SimpleService {
            await CommandServer(sockets.commands, requestGuard: requestGuard).run { await handler.answer($0) }
        } stop: {
            await sockets.commands.close()
        }
    }

    /// Returns the worker's streams that the rules are about, and that of posters if messages can show them: at the
    /// board, for sinks.
    private func streams(of rules: AlertRules, _ delivery: DeliveryService) -> [Contract.Stream] {
        let showsPosters = configuration.publicURL != nil && !delivery.outbox.sinks.isEmpty
        return rules.streams + (showsPosters ? [.poster] : [])
    }

    // MARK: Health and status

    private func makeHealthServer(_ storage: Storage, _ sockets: Sockets) throws -> HealthServer {
        try HealthServer(
            address: configuration.notifierHTTP, hosts: configuration.boardHosts, metrics: runtime.metrics,
            // A restart does not help a process whose server is away.
            liveness: storage.database.isRemote ? [] : [.databaseRead(storage.database, logger: runtime.logger)],
            readiness: [
                .databaseWrite(storage.database, logger: runtime.logger),
                HealthCheck("worker") { sockets.heartbeats.problem },
            ])
    }

    private func status(_ storage: Storage, _ outbox: Outbox, uptime: Duration) async throws -> NotifierStatus {
        try await storage.database.read { connection in
            let sinks = try outbox.counts(in: connection)
            return NotifierStatus(
                version: version, epoch: storage.log.epoch, positions: try storage.log.positions(in: connection),
                learned: try NotifierStore.readingState(in: connection)?.baseline.ends ?? [:],
                queue: sinks.mapValues(\.waiting), sinks: sinks, uptime: Int(uptime.components.seconds),
                name: storage.database.isRemote ? processName : nil)
        }
    }
}

/// The body of the notifier's answer to `status`.
struct NotifierStatus: Sendable, Encodable {
    let version: String
    let epoch: String
    let positions: [Contract.Stream: SequenceNumber]
    /// The last event of each of the worker's streams that belongs to the baseline, once that is known.
    let learned: [Contract.Stream: SequenceNumber]
    let queue: [String: Int]
    let sinks: [String: SinkCounts]
    /// Always empty: the notifier calls no upstream.
    let quota: [String: Int] = [:]
    let uptime: Int
    /// The process that works; nil unless others may wait for its place.
    let name: String?
}

// MARK: - Place

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

    /// Opens the database; nil while another notifier has it open, or the server is away. Throws what a wait does not mend.
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

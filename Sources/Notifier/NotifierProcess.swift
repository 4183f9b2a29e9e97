public import BoxOffice
import Concurrency
import Contract
public import EventStore
import FoundationEssentials
import Health
import Messaging
public import Operations
import SQLite
import ZeroMQ

/// The process that turns ranking events into alerts.
public struct NotifierProcess: Sendable {
    private let configuration: Configuration
    private let rules: AlertRules
    private let since: KoreanDate?
    private let sinks: [SinkConfiguration]
    private let dryRun: (@Sendable (String) -> Void)?
    private let reloading: RuleFileReloading?
    private let logger: Logger
    private let clock: any Clock<Duration> = ContinuousClock()
    private let wallClock: WallClock
    private let failPoints: FailPoints

    /// Makes a notifier; opens nothing yet.
    ///
    /// - Parameters:
    ///   - since: makes the charts of this day and of later days fire in any order, also those of the past.
    ///   - sinks: the sinks that alerts are delivered to.
    ///   - dryRun: is called with a line for each alert that a sink would get; nothing is delivered then.
    ///   - reloading: how rules and sinks are read again while it runs; nil for never.
    public init(
        _ configuration: Configuration, rules: AlertRules, since: KoreanDate? = nil, sinks: [SinkConfiguration] = [],
        dryRun: (@Sendable (String) -> Void)? = nil, reloading: RuleFileReloading? = nil, logger: Logger,
        wallClock: WallClock = .system, failPoints: FailPoints = .none
    ) {
        self.configuration = configuration
        self.rules = rules
        self.since = since
        self.sinks = sinks
        self.dryRun = dryRun
        self.reloading = reloading
        self.logger = logger
        self.wallClock = wallClock
        self.failPoints = failPoints
    }

    /// Opens the database and the sockets, and runs the services until `asked` returns.
    ///
    /// - Throws: before any service runs, if the database cannot be opened or an address cannot be bound; later, the
    ///   error of the first service that fails.
    public func run(until asked: @escaping @Sendable () async -> Void) async throws {
        let metrics = Metrics()
        metrics.addProcess(startedAt: wallClock.now())
        let storage = try await openStorage(metrics)
        let sockets = try await openSockets(metrics)
        let publisher = Publisher(sockets.alerts, of: storage.log, positions: storage.positions)
        publisher.report(to: metrics)
        let delivery = DeliveryService(
            to: sinks, board: configuration.publicURL, from: storage.database, storage.log, metrics: metrics,
            logger: logger, wallClock: wallClock, dryRun: dryRun, failPoints: failPoints)
        try await delivery.closeRemovedSinks()
        let counts = NotifierMetrics(metrics)
        let ruleService = RuleService(
            try await makeAlertService(rules, logger, storage, sockets, publisher, delivery, counts),
            reloading: reloading, clock: clock, logger: logger
        ) { file, logger in
            delivery.replaceSinks(by: file.sinks, logger: logger)
            try await delivery.closeRemovedSinks()
            return try await makeAlertService(file.rules, logger, storage, sockets, publisher, delivery, counts)
        }
        metrics.addSockets([
            "events": { ruleService.current.subscription.counters }, "heartbeats": { sockets.heartbeats.counters },
            "alerts": { sockets.alerts.counters }, "alertCommands": { sockets.commands.counters },
        ])
        let health = try makeHealthServer(storage, sockets, metrics)
        // After everything that can end the start, whose error is then the only line.
        try DataFolder(configuration.dataFolder).narrowPermissions(logger: logger)
        logger.warnOfSecretsInEnvironment(configuration)
        logger.info(
            "notifier ready",
            [
                .alerts: sockets.alerts.addresses[0], .alertCommands: sockets.commands.addresses[0],
                .http: health.address,
            ])
        // The work stops first: what it still publishes while it ends finds its socket open.
        let services = [health] + alwaysRunning(storage, sockets, publisher, delivery.outbox)
        let work = Self.service(of: [delivery, ruleService])
        try await ServiceGroup(services + [work], grace: Self.grace).run(until: asked)
        await sockets.thread.shutdown()
        await storage.database.close()
        logger.info("notifier stopped")
    }
}

// MARK: - Parts

extension NotifierProcess {
    /// What all services have for a graceful end.
    private static let grace = Duration.seconds(1)

    /// The open database and the alert log in it.
    private struct Storage {
        let database: Database
        let log: EventLog
        let positions: [Contract.Stream: SequenceNumber]
    }

    /// The open sockets, and the thread that owns them.
    private struct Sockets {
        let thread: IOThread
        let access: AccessControl
        let alerts: Socket
        let commands: Socket
        let heartbeats: HeartbeatReader
    }

    private func openStorage(_ metrics: Metrics) async throws -> Storage {
        let folder = try DataFolder(configuration.dataFolder)
        let path = folder.file(Self.databaseName)
        let database = try Database(path: path, schema: NotifierStore.schema)
        metrics.addDatabase(at: path)
        return try await database.read { connection in
            let log = try EventLog(source: "/marquee/notifier", in: connection)
            return Storage(database: database, log: log, positions: try log.positions(in: connection))
        }
    }

    private func openSockets(_ metrics: Metrics) async throws -> Sockets {
        let access = try AccessControl(configuration, of: .notifier, metrics: metrics, logger: logger)
        let thread = try access.makeThread()
        return Sockets(
            thread: thread, access: access,
            alerts: try await thread.open(
                .publisher, bind: [configuration.alerts.description], options: access.socketOptions),
            commands: try await thread.open(
                .router, bind: [configuration.alertCommands.description], options: access.socketOptions),
            heartbeats: try await HeartbeatReader(
                thread, of: "worker", address: configuration.events.reachable, clock: clock))
    }

    private func makeHealthServer(_ storage: Storage, _ sockets: Sockets, _ metrics: Metrics) throws -> HealthServer {
        try HealthServer(
            address: configuration.notifierHTTP, hosts: configuration.boardHosts, metrics: metrics,
            liveness: [.databaseRead(storage.database)],
            readiness: [
                .databaseWrite(storage.database), HealthCheck("worker") { sockets.heartbeats.problem },
            ])
    }
}

// MARK: - Services

extension NotifierProcess {
    /// Returns the services that run whether alerts are decided and delivered or not: they publish the log, answer
    /// commands, and listen to the worker's heartbeat.
    private func alwaysRunning(
        _ storage: Storage, _ sockets: Sockets, _ publisher: Publisher, _ outbox: Outbox
    ) -> [any Service] {
        let age = Stopwatch(clock)
        let retry = RetryCommand(outbox: outbox, database: storage.database)
        let handler = LogCommandHandler(
            log: storage.log, database: storage.database, requestGuard: sockets.access.requestGuard,
            own: ["retry": retry.answer]
        ) {
            .status(try await status(storage, outbox, uptime: age.elapsed))
        }
        return [
            SimpleService {
                await sockets.heartbeats.run()
            } stop: {
                await sockets.heartbeats.close()
            },
            SimpleService {
                async let _ = sockets.access.disconnectWithdrawnClients(from: sockets.thread)
                await publisher.run(now: wallClock.now, clock: clock)
            } stop: {
                await sockets.alerts.close()
            },
            SimpleService {
                await CommandServer(sockets.commands, requestGuard: sockets.access.requestGuard).run { batch in
                    await handler.answer(batch)
                }
            } stop: {
                await sockets.commands.close()
            },
        ]
    }

    /// Makes the service that decides the alerts, with the state of the last run.
    private func makeAlertService(
        _ rules: AlertRules, _ logger: Logger, _ storage: Storage, _ sockets: Sockets, _ publisher: Publisher,
        _ delivery: DeliveryService, _ counts: NotifierMetrics
    ) async throws -> AlertService {
        let store = NotifierStore(
            database: storage.database, log: storage.log, wallClock: wallClock, publish: publisher.publish,
            outbox: delivery.outbox, failPoints: failPoints)
        let alertState = try await store.loadAlertState(rules: rules, since: since)
        let subscription = try await Subscription(
            sockets.thread, events: configuration.events.reachable, commands: configuration.commands.reachable,
            // Whole streams, because what a chart fires depends on which came before it, and only a whole stream is
            // delivered in its order.
            prefixes: (rules.streams + posterStreams(for: delivery)).map { "\($0.rawValue)." }, from: alertState.start
        ) { record($0, counts) }
        return AlertService(
            subscription: subscription, store: store, alertState: alertState, logger: logger, metrics: counts,
            clock: clock, failPoints: failPoints)
    }

    /// Returns the stream of posters, if messages can show them: at the board, for sinks.
    private func posterStreams(for delivery: DeliveryService) -> [Contract.Stream] {
        configuration.publicURL == nil || delivery.outbox.sinks.isEmpty ? [] : [.poster]
    }

    /// Returns one service that starts and stops these services together, apart from all others.
    private static func service(of services: [any Service]) -> SimpleService {
        let stop = WakeSignal()
        return SimpleService {
            try await ServiceGroup(services, grace: grace).run { await stop.waitForStop() }
        } stop: {
            stop.stop()
        }
    }

    /// Counts and logs what happens to the subscription.
    private func record(_ note: Subscription.Diagnostic, _ counts: NotifierMetrics) {
        switch note {
        case .repaired(let stream, let count):
            counts.countRepaired(count)
            logger.info(
                "read events that were missed from the worker's log", [.stream: stream.rawValue, .count: count])
        case .retrying(let pause, let error):
            logger.warning(
                "cannot read the worker's log; the notifier tries again", [.after: pause, .error: "\(error)"])
        }
    }
}

// MARK: - Status

extension NotifierProcess {
    private func status(_ storage: Storage, _ outbox: Outbox, uptime: Duration) async throws -> NotifierStatus {
        try await storage.database.read { connection in
            let sinks = try outbox.counts(in: connection)
            return NotifierStatus(
                version: version, epoch: storage.log.epoch, positions: try storage.log.positions(in: connection),
                learned: try NotifierStore.readingState(in: connection)?.baseline.ends ?? [:],
                queue: sinks.mapValues(\.waiting), sinks: sinks, uptime: Int(uptime.components.seconds))
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
    /// The number of alerts that wait, by sink.
    let queue: [String: Int]
    /// The number of alerts in each state, by sink.
    let sinks: [String: SinkCounts]
    /// Always empty: the notifier calls no upstream.
    let quota: [String: Int] = [:]
    /// Seconds since the start.
    let uptime: Int
}

// MARK: - Database

extension NotifierProcess {
    /// The name of the database in the data folder.
    private static let databaseName = "notifier.db"

    /// Returns the notifier's database in a data folder, for backups, checks and queries from outside.
    public static func logFile(inFolder folder: String) -> LogDatabase {
        logFile(at: "\(folder)/\(databaseName)")
    }

    /// Returns the notifier's database at `path`, for backups, checks and queries from outside.
    public static func logFile(at path: String) -> LogDatabase {
        LogDatabase(path: path, owner: "notifier", schema: NotifierStore.schema)
    }

    /// Returns the baseline of the notifier with this database, and the day since which it was asked for alerts.
    public static func baseline(in file: LogDatabase) throws -> (baseline: BaselinePosition, since: KoreanDate?) {
        try file.read { _, connection in
            let reading = try NotifierStore.readingState(in: connection)
            return (reading?.baseline ?? .none, reading?.since)
        }
    }
}

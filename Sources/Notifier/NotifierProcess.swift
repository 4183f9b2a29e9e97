public import BoxOffice
import Contract
import EventStore
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
    private let logger: Logger
    private let clock: WallClock
    private let failPoints: FailPoints

    /// Makes a notifier; nothing is opened yet. With `since`, charts of that day and later ones fire in any order. With a
    /// `dryRun`, nothing goes to the sinks: it is told what would.
    public init(
        _ configuration: Configuration, rules: AlertRules, since: KoreanDate? = nil, sinks: [SinkConfiguration] = [],
        dryRun: (@Sendable (String) -> Void)? = nil, logger: Logger,
        clock: WallClock = .system, failPoints: FailPoints = .none
    ) {
        self.configuration = configuration
        self.rules = rules
        self.since = since
        self.sinks = sinks
        self.dryRun = dryRun
        self.logger = logger
        self.clock = clock
        self.failPoints = failPoints
    }

    /// Opens the database and the sockets, and works until `asked` returns.
    ///
    /// Throws before anything runs if the database or an address cannot be had.
    public func run(until asked: @escaping @Sendable () async -> Void) async throws {
        let started = clock.now()
        let age = Stopwatch(ContinuousClock())
        let folder = try DataFolder(configuration.dataFolder)
        let database = try Database(path: folder.file(Self.databaseName), schema: NotifierStore.schema)
        let (log, positions) = try await database.read { connection in
            let log = try EventLog(source: "/marquee/notifier", in: connection)
            return (log, try log.positions(in: connection))
        }

        let metrics = Metrics()
        let access = try AccessControl(configuration, of: .notifier, metrics: metrics, logger: logger)
        let io = try access.makeThread()
        let alerts = try await io.open(
            .publisher, bind: [configuration.alerts.description], options: access.socketOptions)
        let commands = try await io.open(
            .router, bind: [configuration.alertCommands.description], options: access.socketOptions)

        let worker = try await HeartbeatReader(
            io, of: "worker", address: configuration.events.reachable, clock: ContinuousClock())

        let counts = NotifierMetrics(metrics)
        let publisher = Publisher(alerts, of: log, positions: positions)
        let delivery = try await Delivery(
            to: sinks, from: database, log, metrics: metrics, logger: logger, wall: clock, dryRun: dryRun,
            failPoints: failPoints)
        let store = NotifierStore(
            database: database, log: log, clock: clock, publish: publisher.publish, outbox: delivery.outbox,
            failPoints: failPoints)
        let memory = try await store.recall(rules: rules, since: since)
        let subscription = try await Subscription(
            io, events: configuration.events.reachable, commands: configuration.commands.reachable,
            // Whole streams, because what a chart fires depends on which came before it, and only a whole stream is
            // delivered in its order.
            prefixes: rules.streams.map { "\($0.rawValue)." }, from: memory.start
        ) { note($0, counts) }
        let status: @Sendable () async throws -> NotifierStatus = {
            let (positions, history, sinks) = try await database.read { connection in
                (
                    try log.positions(in: connection), try NotifierStore.reading(in: connection)?.history.ends ?? [:],
                    try delivery.outbox.counts(in: connection)
                )
            }
            return NotifierStatus(
                version: version, epoch: log.epoch, positions: positions, learned: history,
                queue: sinks.mapValues(\.waiting), sinks: sinks, uptime: Int(age.elapsed.components.seconds))
        }

        let retry = RetryCommand(outbox: delivery.outbox, database: database)
        let answers = LogCommandHandler(
            log: log, database: database, requestGuard: access.requestGuard, own: ["retry": retry.answer],
            status: { .status(try await status()) })
        metrics.addProcess(startedAt: started)
        publisher.report(to: metrics)
        metrics.addSockets([
            "events": { subscription.counters }, "heartbeats": { worker.counters }, "alerts": { alerts.counters },
            "alertCommands": { commands.counters },
        ])
        metrics.addDatabase(at: folder.file("notifier.db"))
        let health = try HealthServer(
            address: configuration.notifierHTTP, metrics: metrics, livesIf: [.answers(database)],
            isReadyIf: [.writes(to: database), HealthCheck("worker") { worker.problem }])

        logger.info(
            "notifier ready",
            [.alerts: alerts.addresses[0], .alertCommands: commands.addresses[0], .http: health.address])
        let group = ServiceGroup(
            [
                health,
                SimpleService {
                    await worker.run()
                } stop: {
                    await worker.close()
                },
                delivery,
                SimpleService {
                    await publisher.run(now: clock.now, clock: ContinuousClock())
                } stop: {
                    await alerts.close()
                },
                AlertService(
                    subscription: subscription, store: store, memory: memory, logger: logger, metrics: counts,
                    clock: ContinuousClock(), failPoints: failPoints),
                SimpleService {
                    await CommandServer(commands).run { batch in await answers.answer(batch) }
                } stop: {
                    await commands.close()
                },
            ], grace: .seconds(1))
        try await group.run(until: asked)
        await io.shutdown()
        await database.close()
        logger.info("notifier stopped")
    }

    /// Logs what becomes of the subscription.
    private func note(_ note: Subscription.Diagnostic, _ counts: NotifierMetrics) {
        switch note {
        case .repaired(let stream, let count):
            counts.repair(count)
            logger.info("events that were missed are read from the log", [.stream: stream.rawValue, .count: count])
        case .retrying(let pause, let error):
            logger.warning(
                "the worker's log cannot be read; it will be asked again", [.after: pause, .error: "\(error)"])
        }
    }
}

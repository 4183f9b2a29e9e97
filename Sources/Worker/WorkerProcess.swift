import Concurrency
import Contract
public import EventStore
import FoundationEssentials
import Health
public import Imaging
import Messaging
import Networking
import OpenMarket
public import Operations
public import SQLite
import Upstreams
import ZeroMQ

/// The process that turns requests into events.
///
/// Requests come in on two sockets, wait in the inbox, are answered from the log or the upstreams, and end as events of
/// the log. Every accepted request ends, if need be after the next start.
public struct WorkerProcess: Sendable {
    /// The most requests that may wait.
    private static let inboxLimit = 10_000
    /// The name of the database in the data folder.
    static let databaseName = "worker.db"

    let configuration: Configuration
    private let logger: Logger
    private let wallClock: WallClock
    private let clock: any Clock<Duration>
    private let failPoints: FailPoints
    private let imageDecoder: ImageDecoder
    private let liveDays: Int

    /// The number of days, up to yesterday, that the schedule fetches live although the log does not have them.
    public static let usualLiveDays = Schedule.usualRecentDays

    /// Makes a worker; nothing is opened yet.
    ///
    /// - Parameter liveDays: how many days of a new log are fetched live, so that they fire alerts.
    public init(
        _ configuration: Configuration, liveDays: Int = Self.usualLiveDays, logger: Logger,
        wallClock: WallClock = .system,
        clock: any Clock<Duration> = ContinuousClock(), failPoints: FailPoints = .none,
        imageDecoder: ImageDecoder = ImageDecoder()
    ) {
        self.configuration = configuration
        self.liveDays = liveDays
        self.logger = logger
        self.wallClock = wallClock
        self.clock = clock
        self.failPoints = failPoints
        self.imageDecoder = imageDecoder
    }

    /// Opens the database and the sockets, and works until `asked` returns.
    ///
    /// - Parameter asked: Returns when the worker shall end.
    /// - Throws: Before anything runs, why the database or an address could not be opened; later the error that ended
    ///   one of the services.
    public func run(until asked: @escaping @Sendable () async -> Void) async throws {
        let worker = try await open()
        logger.info(
            "worker ready",
            [
                .requests: worker.sockets.requests.addresses[0], .commands: worker.sockets.commands.addresses[0],
                .events: worker.sockets.events.addresses[0], .http: worker.health.address,
            ])
        try await ServiceGroup(worker.services, grace: .seconds(1)).run(until: asked)
        await worker.close()
        logger.info("worker stopped")
    }

    // MARK: The event log

    /// The tables of the worker's database.
    public static let schema = WorkerStore.schema

    /// Returns the event log in a data folder, for maintenance from outside the process.
    public static func logFile(inFolder folder: String) -> LogDatabase {
        logFile(at: "\(folder)/\(databaseName)")
    }

    /// Returns the event log in a copy of the worker's database.
    public static func logFile(at path: String) -> LogDatabase {
        LogDatabase(path: path, owner: "worker", schema: schema)
    }

    /// The path of the database.
    var databasePath: String { "\(configuration.dataFolder)/\(Self.databaseName)" }

    // MARK: Opening

    /// Opens the database and the sockets and makes all services; none runs yet.
    func open() async throws -> OpenWorker {
        let startTime = wallClock.now()
        let uptime = Stopwatch(ContinuousClock())
        let (database, log, positions, seal) = try await openDatabase()
        let metrics = Metrics()
        let access = try AccessControl(configuration, of: .worker, metrics: metrics, logger: logger)
        let sockets = try await WorkerSockets(configuration, access)
        let publisher = Publisher(sockets.events, of: log, positions: positions)
        let parts = makeParts(
            database: database, log: log, seal: seal, metrics: WorkerMetrics(metrics, clock: ContinuousClock()),
            publisher: publisher, requestGuard: access.requestGuard)
        metrics.addProcess(startedAt: startTime)
        addMetrics(parts, to: metrics, publisher: publisher, sockets: sockets)
        let health = try makeHealthServer(parts, metrics: metrics)
        if configuration.kobis.key != nil {
            try await parts.backfill.beginInitialJob(days: configuration.historyDays, liveDays: liveDays)
        }
        // After everything that can end the start, whose error is then the only line.
        try DataFolder(configuration.dataFolder).narrowPermissions(logger: logger)
        warnOfMissingKeys()
        logger.warnOfSecretsInEnvironment(configuration)
        return OpenWorker(
            sockets: sockets, database: database, health: health,
            publishing: makePublishing(publisher, sockets, access),
            retention: RequestRetention(
                store: parts.store, days: configuration.requestDays, logger: logger, clock: clock),
            work: WorkGroup(
                configuration: configuration, parts: parts, logger: logger, wallClock: wallClock, clock: clock,
                failPoints: failPoints, imageDecoder: imageDecoder),
            requests: RequestService(
                socket: sockets.requests, intake: parts.intake, store: parts.store, logger: logger),
            commands: makeCommandService(parts, sockets, access, uptime: uptime))
    }

    private func openDatabase() async throws -> (Database, EventLog, [Contract.Stream: SequenceNumber], SecretSeal) {
        let folder = try DataFolder(configuration.dataFolder)
        let database = try Database(path: folder.file(Self.databaseName), schema: WorkerStore.schema)
        let seal = try SecretSeal(file: folder.file(SecretSeal.fileName))
        try await UpstreamBinding.bind(database, to: configuration.kobis.url)
        // If the process was killed right after an order with a secret ended, the secret is still in the log.
        try await database.write { $0.eraseLogAfterCommit() }
        let (log, positions) = try await database.read { connection in
            let log = try EventLog(source: "/marquee/worker", in: connection)
            return (log, try log.positions(in: connection))
        }
        return (database, log, positions, seal)
    }

    /// Makes what the endpoints and the work group share.
    private func makeParts(
        database: Database, log: EventLog, seal: SecretSeal, metrics: WorkerMetrics, publisher: Publisher,
        requestGuard: RequestGuard
    ) -> WorkerParts {
        let queue = RequestQueue(isOpen: false)
        let (scheduleSignal, backfillSignal) = (RestartableWakeSignal(), RestartableWakeSignal())
        let handler = CommitHandler(
            publish: publisher.publish, queue: queue, metrics: metrics, logger: logger,
            scheduleSignal: scheduleSignal, backfillSignal: backfillSignal, failPoints: failPoints)
        let store = WorkerStore(
            database: database, log: log, inbox: RequestInbox(limit: Self.inboxLimit), wallClock: wallClock, seal: seal,
            failPoints: failPoints, onCommit: handler.handle)
        let quota = QuotaLedger(database: database, wallClock: wallClock, configuration)
        let intake = RequestIntake(
            store: store, queue: queue, logger: RateLimitedLogger(logger), metrics: metrics, wallClock: wallClock,
            requestGuard: requestGuard,
            limits: IntakeLimits(
                share: configuration.clientDailyMegabytes << 20, reserve: configuration.diskReserveMegabytes << 20,
                folder: configuration.dataFolder), failPoints: failPoints)
        let hasPosters = configuration.kakao.key != nil
        let backfill = BackfillService(
            store: store, intake: intake, quota: quota, hasPosters: hasPosters, logger: logger, wallClock: wallClock,
            clock: clock, wakeSignal: backfillSignal)
        return WorkerParts(
            store: store, queue: queue, quota: quota, intake: intake,
            schedule: ScheduleService(
                store: store, intake: intake, hasPosters: hasPosters, metrics: metrics, logger: logger,
                wallClock: wallClock, clock: clock, wakeSignal: scheduleSignal,
                schedule: Schedule(recentDays: liveDays), isWaiting: backfill.isInitialJobRunning),
            backfill: backfill,
            metrics: metrics, keyHealth: KobisKeyHealth(configuration.kobis.key))
    }

    private func makePublishing(
        _ publisher: Publisher, _ sockets: WorkerSockets, _ access: AccessControl
    ) -> SimpleService {
        SimpleService { [wallClock] in
            async let _ = access.disconnectWithdrawnClients(from: sockets.io)
            await publisher.run(now: wallClock.now, clock: ContinuousClock())
        } stop: {
            await sockets.events.close()
        }
    }

    private func makeCommandService(
        _ parts: WorkerParts, _ sockets: WorkerSockets, _ access: AccessControl, uptime: Stopwatch
    ) -> CommandService {
        let status = StatusReporter(
            store: parts.store, queue: parts.queue, quota: parts.quota,
            schedule: configuration.runsSchedule ? parts.schedule : nil, backfill: parts.backfill, uptime: uptime)
        return CommandService(
            socket: sockets.commands, intake: parts.intake,
            logCommands: LogCommandHandler(
                log: parts.store.log, database: parts.store.database, requestGuard: access.requestGuard,
                own: [
                    "backfill": parts.backfill.answer, "book": BookCommand(quota: parts.quota).answer,
                    "poster": PosterCommandHandler(store: parts.store, requestGuard: access.requestGuard).answer,
                ],
                status: status.reply), io: sockets.io,
            failPoints: failPoints)
    }

    private func warnOfMissingKeys() {
        let (kobis, kakao) = (configuration.kobis, configuration.kakao)
        for (service, key) in [(Kobis.service, kobis.key), (KakaoImageSearch.service, kakao.key)] where key == nil {
            logger.warning("no key is configured; requests that need this service will fail", [.service: service])
        }
    }
}

/// A worker whose database and sockets are open.
struct OpenWorker: Sendable {
    let sockets: WorkerSockets
    let database: Database
    let health: HealthServer
    let publishing: SimpleService
    /// Deletes old requests.
    let retention: RequestRetention
    /// What does the work; it can be started and stopped apart from the endpoints.
    let work: WorkGroup
    let requests: RequestService
    let commands: CommandService

    /// The services that always run: health, the publisher and the endpoints.
    var endpoints: [any Service] { [health, publishing, retention, requests, commands] }

    /// All services. They stop in reverse: first the intake, then the work, which still publishes its events.
    var services: [any Service] { [health, publishing, retention, work, requests, commands] }

    /// Closes the sockets' thread and the database. All services must have ended.
    func close() async {
        await sockets.io.shutdown()
        await database.close()
    }
}

/// What the endpoints and the work group share.
struct WorkerParts: Sendable {
    let store: WorkerStore
    let queue: RequestQueue
    let quota: QuotaLedger
    let intake: RequestIntake
    let schedule: ScheduleService
    let backfill: BackfillService
    let metrics: WorkerMetrics
    let keyHealth: KobisKeyHealth
}

/// The worker's sockets and their thread.
struct WorkerSockets: Sendable {
    let io: IOThread
    let events: Socket
    let commands: Socket
    let requests: Socket

    /// Opens and binds the sockets.
    ///
    /// - Throws: `ZeroMQError` if an address cannot be bound.
    init(_ configuration: Configuration, _ access: AccessControl) async throws {
        // Requests carry images. The limits are above those of the contract, so that a request which exceeds these is
        // answered with an error instead of being dropped.
        var options = access.socketOptions
        options.maximumFrameBytes = 2 * RequestFrames.imageLimit
        options.maximumMessageBytes = (ProductConstraints.imageCount.upperBound + 1) * RequestFrames.imageLimit
        io = try access.makeThread()
        events = try await io.open(
            .publisher, bind: [configuration.events.description], options: access.socketOptions)
        commands = try await io.open(.router, bind: [configuration.commands.description], options: options)
        requests = try await io.open(
            .subscriber, bind: [configuration.requests.description], subscriptions: [""], options: options)
    }
}

import BoxOffice
import Concurrency
import Contract
public import EventStore
import FoundationEssentials
import Health
public import Imaging
import Messaging
import Networking
import OpenMarket
public import ServiceRuntime
public import Storage
import Upstreams
import ZeroMQ

/// The process that turns requests into events.
///
/// Requests come in on two sockets, wait in the inbox, are answered from the log or the upstreams, and end as events of
/// the log. Every accepted request ends, if need be after the next start.
public struct WorkerProcess: Sendable {
    /// The most requests that may wait.
    private static let inboxLimit = 10_000

    let configuration: Configuration
    let runtime: Runtime
    let imageDecoder: ImageDecoder
    private let liveDays: Int

    /// The number of days, up to yesterday, that the schedule fetches live although the log does not have them.
    public static let usualLiveDays = Schedule.usualRecentDays

    /// Makes a worker; opens nothing yet.
    ///
    /// - Parameter liveDays: how many days of a new log are fetched live, so that they fire alerts.
    public init(
        _ configuration: Configuration, liveDays: Int = Self.usualLiveDays, imageDecoder: ImageDecoder = ImageDecoder(),
        runtime: Runtime
    ) {
        self.configuration = configuration
        self.liveDays = liveDays
        self.imageDecoder = imageDecoder
        self.runtime = runtime
    }

    /// Opens the database and the sockets, and runs the services until `stopRequested` returns.
    ///
    /// - Throws: Before any service runs, why the database or an address could not be opened; later the error of the
    ///   first service that fails.
    public func run(until stopRequested: @escaping @Sendable () async -> Void) async throws {
        runtime.metrics.addProcess(startedAt: runtime.wallClock.now())
        let storage = try await openStorage()
        let sockets = try await openSockets()
        let services = try await makeServices(storage, sockets)
        // After everything that can end the start, whose error is then the only line.
        try DataFolder(configuration.dataFolder).narrowPermissions(logger: runtime.logger)
        warnOfMissingKeys()
        runtime.logger.warnOfSecretsInEnvironment(configuration)
        runtime.logger.info(
            "worker ready",
            [
                .requests: sockets.requests.addresses[0], .commands: sockets.commands.addresses[0],
                .events: sockets.events.addresses[0], .http: services.health.address,
            ])
        try await ServiceGroup(services.all, grace: .seconds(1)).run(until: stopRequested)
        await services.clients.shutdown()
        await sockets.io.shutdown()
        await services.leave()
        await storage.database.close()
        withExtendedLifetime(storage.runFile) {}
        runtime.logger.info("worker stopped")
    }
}

// MARK: - Storage

extension WorkerProcess {
    /// The tables of the worker's database.
    public static let schema = WorkerStore.schema

    /// Returns the event log in a worker's database, for maintenance from outside the process.
    public static func log(in location: DatabaseLocation) -> LogDatabase {
        LogDatabase(location, owner: "worker", schema: schema)
    }

    /// The open database, the event log in it, and the seal of the vendor's secrets.
    private struct Storage {
        let database: Database
        let log: EventLog
        let positions: [Contract.Stream: SequenceNumber]
        /// The number of the newest event.
        let newest: Int
        /// The name of this run among the workers that share the database.
        let worker: Int
        /// Locked as long as it is there; nil if the database is a file, which has a lock of its own.
        let runFile: RunFile?
        let seal: SecretSeal
    }

    private func openStorage() async throws -> Storage {
        let folder = try DataFolder(configuration.dataFolder)
        let location = DatabaseLocation(of: .worker, configuration)
        let database = try Database(location, schema: Self.schema, isShared: true)
        let worker = Int.random(in: 1...Int.max)
        let runFile = database.isShared ? try RunFile(folder.file(RunFile.name), run: worker) : nil
        runtime.metrics.addDatabase(database, at: location)
        let seal = try SecretSeal(file: folder.file(SecretSeal.fileName))
        try await UpstreamBinding.bind(database, to: configuration.kobis.url)
        // If the process was killed right after an order with a secret ended, the secret is still in the log.
        try await database.write { $0.eraseLogAfterCommit() }
        return try await database.read { connection in
            let log = try EventLog(source: "/marquee/worker", in: connection)
            return Storage(
                database: database, log: log, positions: try log.positions(in: connection),
                newest: try log.newestNumber(in: connection), worker: worker, runFile: runFile, seal: seal)
        }
    }
}

// MARK: - Sockets

extension WorkerProcess {
    private struct Sockets {
        let io: IOThread
        let access: AccessControl
        let events: Socket
        let commands: Socket
        let requests: Socket
    }

    private func openSockets() async throws -> Sockets {
        let access = try AccessControl(configuration, of: .worker, runtime)
        // Requests carry images. The limits are above those of the contract, so that a request which exceeds these is
        // answered with an error instead of being dropped.
        var options = access.socketOptions
        options.maximumFrameBytes = 2 * RequestFrames.imageLimit
        options.maximumMessageBytes = (ProductConstraints.imageCount.upperBound + 1) * RequestFrames.imageLimit
        let io = try access.makeThread()
        let sockets = Sockets(
            io: io, access: access,
            events: try await io.open(
                .publisher, bind: [configuration.events.description], options: access.socketOptions),
            commands: try await io.open(.router, bind: [configuration.commands.description], options: options),
            requests: try await io.open(
                .subscriber, bind: [configuration.requests.description], subscriptions: [""], options: options))
        runtime.metrics.addSockets([
            "requests": { sockets.requests.counters }, "commands": { sockets.commands.counters },
            "events": { sockets.events.counters },
        ])
        return sockets
    }
}

// MARK: - Services

extension WorkerProcess {
    /// The services, and the HTTP clients that they use.
    private struct Services {
        let health: HealthServer
        /// All services in the order in which they start. They stop in reverse: first the intake, then the work, which
        /// still publishes its events.
        let all: [any Service]
        let clients: HTTPClients
        let store: WorkerStore

        /// Leaves the requests that wait to the other workers.
        func leave() async {
            // Without it they wait until this worker counts as dead.
            try? await store.write { try WorkerRegistry($0).remove(store.worker) }
        }
    }

    private func makeServices(_ storage: Storage, _ sockets: Sockets) async throws -> Services {
        let publisher = Publisher(sockets.events, of: storage.log, positions: storage.positions)
        publisher.report(to: runtime.metrics)
        let metrics = WorkerMetrics(runtime.metrics, clock: runtime.clock)
        let queue = RequestQueue()
        let (scheduleSignal, backfillSignal, commitSignal) = (WakeSignal(), WakeSignal(), WakeSignal())
        let isShared = storage.database.isShared
        let handler = CommitHandler(
            publish: { events in
                if isShared { commitSignal.signal() } else { publisher.publish(events) }
            }, queue: queue, metrics: metrics,
            runtime: runtime,
            scheduleSignal: scheduleSignal, backfillSignal: backfillSignal)
        let store = WorkerStore(
            database: storage.database, log: storage.log, inboxLimit: Self.inboxLimit, seal: storage.seal,
            runtime: runtime, worker: storage.worker, onCommit: handler.handle)
        let limits = IntakeLimits(
            share: configuration.clientDailyMegabytes << 20, reserve: configuration.diskReserveMegabytes << 20,
            folder: configuration.dataFolder)
        let intake = RequestIntake(
            store: store, queue: queue, logger: RateLimitedLogger(runtime.logger), metrics: metrics, runtime: runtime,
            requestGuard: sockets.access.requestGuard, limits: limits)
        let quota = QuotaLedger(database: storage.database, wallClock: runtime.wallClock, configuration)
        let hasPosters = configuration.kakao.key != nil
        let backfill = BackfillService(
            store: store, intake: intake, quota: quota, hasPosters: hasPosters, runtime: runtime,
            wakeSignal: backfillSignal)
        let schedule =
            configuration.runsSchedule
            ? ScheduleService(
                store: store, intake: intake, hasPosters: hasPosters, metrics: metrics, runtime: runtime,
                wakeSignal: scheduleSignal, schedule: Schedule(recentDays: liveDays),
                isWaiting: backfill.isInitialJobRunning) : nil
        let key = KobisKeyHealth(configuration.kobis.key)
        let clients = HTTPClients(configuration, quota: quota, metrics: metrics, key: key)
        let fetching = makeFetchService(clients, store: store, queue: queue, quota: quota, metrics: metrics)
        addMetrics(store, queue, quota, backfill)
        let health = try makeHealthServer(store, limits, key)
        if configuration.kobis.key != nil {
            try await backfill.beginInitialJob(days: configuration.historyDays, liveDays: liveDays)
        }
        // Before anything can be accepted, so that the queue has no request twice.
        try await store.write { transaction in
            let registry = WorkerRegistry(transaction)
            try registry.sign()
            if !isShared { try registry.removeOthers() }
            if let predecessor = storage.runFile?.predecessor { try registry.remove(predecessor) }
            try RequestInbox(transaction).claimPending()
        }
        storage.database.onCommit(commitSignal.signal)
        let sharing: [any Service] =
            isShared
            ? [
                LogFollower(
                    store: store, publish: publisher.publish, runtime: runtime, start: storage.newest,
                    wakeSignal: commitSignal),
                TakeoverService(store: store, runtime: runtime),
            ] : []
        let status = StatusReporter(
            store: store, queue: queue, quota: quota, schedule: schedule, backfill: backfill,
            runtime: runtime)
        let services: [(any Service)?] =
            [health, makePublishing(publisher, sockets)] + sharing + [
                RequestRetention(store: store, days: configuration.requestDays, runtime: runtime), schedule, backfill,
                fetching,
                RequestService(socket: sockets.requests, intake: intake, store: store, logger: runtime.logger),
                makeCommandService(sockets, store, intake, backfill, quota, status: status.reply),
            ]
        return Services(health: health, all: services.compactMap(\.self), clients: clients, store: store)
    }
}

extension WorkerProcess {
    private func makePublishing(_ publisher: Publisher, _ sockets: Sockets) -> SimpleService {
        SimpleService { [runtime] in
            async let _ = sockets.access.disconnectWithdrawnClients(from: sockets.io)
            await publisher.run(now: runtime.wallClock.now, clock: runtime.clock)
        } stop: {
            await sockets.events.close()
        }
    }

    private func makeCommandService(
        _ sockets: Sockets, _ store: WorkerStore, _ intake: RequestIntake, _ backfill: BackfillService,
        _ quota: QuotaLedger, status: @escaping @Sendable () async throws -> Reply
    ) -> CommandService {
        let requestGuard = sockets.access.requestGuard
        return CommandService(
            socket: sockets.commands, intake: intake,
            logCommands: LogHandler(
                log: store.log, database: store.database, requestGuard: requestGuard,
                own: [
                    "backfill": backfill.answer, "book": BookHandler(quota: quota).answer,
                    "poster": PosterHandler(store: store, requestGuard: requestGuard, runtime: runtime).answer,
                ],
                status: status), io: sockets.io, failPoints: runtime.failPoints)
    }

    private func warnOfMissingKeys() {
        let (kobis, kakao) = (configuration.kobis, configuration.kakao)
        for (service, key) in [(Kobis.service, kobis.key), (KakaoImageSearch.service, kakao.key)] where key == nil {
            runtime.logger.warning(
                "no key is configured; requests that need this service will fail", [.service: service])
        }
    }
}

// MARK: - Health and metrics

extension WorkerProcess {
    /// Makes the health server: the worker is live while its database answers, and ready while it can accept and fetch.
    private func makeHealthServer(
        _ store: WorkerStore, _ limits: IntakeLimits, _ key: KobisKeyHealth
    ) throws -> HealthServer {
        let queue = HealthCheck("queue") {
            // The database has a check of its own.
            guard let waiting = try? await store.read({ try RequestInbox($0).waitingCount() }) else { return nil }
            return waiting < Self.inboxLimit ? nil : "queue: full, \(waiting) requests are waiting"
        }
        return try HealthServer(
            address: configuration.workerHTTP, hosts: configuration.boardHosts, metrics: runtime.metrics,
            // A restart does not help a process whose server is away.
            liveness: store.database.isRemote ? [] : [.databaseRead(store.database, logger: runtime.logger)],
            readiness: [
                .databaseWrite(store.database, logger: runtime.logger), limits.diskCheck, key.check, queue,
            ])
    }

    /// Adds the metrics that are read only when they are scraped.
    private func addMetrics(
        _ store: WorkerStore, _ queue: RequestQueue, _ quota: QuotaLedger, _ backfill: BackfillService
    ) {
        let metrics = runtime.metrics
        metrics.gauges("marquee_queue_length", "Accepted requests that wait for a fetcher.", by: "priority") {
            let lengths = queue.lengths
            return [
                Request.Priority.live.rawValue: Double(lengths.live),
                Request.Priority.backfill.rawValue: Double(lengths.backfill),
            ]
        }
        metrics.gauges(
            "marquee_quota_left_calls", "Calls to a service that remain today, in Korea.", by: "service"
        ) {
            try await quota.balances().mapValues { Double($0.left) }
        }
        metrics.gauge("marquee_chart_age_days", "Days between the newest national chart and today in Korea.") {
            let newest = try await store.read { try Freshness($0).newestChart() }
            return newest.map { Double(KoreanDate(at: runtime.wallClock.now()) - $0) }
        }
        metrics.gauge("marquee_workers", "Workers that share the database and live.") {
            Double(try await store.read { try WorkerRegistry($0).livingCount() })
        }
        metrics.gauge("marquee_backfill_left", "Charts and movies that the present backfill still has to fetch.") {
            try await backfill.progress().map { $0.isOver ? 0 : Double($0.total - $0.done - $0.failed) }
        }
    }
}

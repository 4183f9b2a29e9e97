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

/// The process that turns requests into events. Requests come in on two sockets, wait in the inbox, are answered from
/// the log or the upstreams, and end as events of the log. Every accepted request ends, if need be after the next
/// start.
public struct WorkerProcess: Sendable {
    private static let inboxLimit = 10_000

    private let configuration: Configuration
    private let runtime: Runtime
    private let imageDecoder: ImageDecoder
    private let liveDays: Int

    /// The number of days, up to yesterday, that the schedule fetches live although the log does not have them.
    public static let usualLiveDays = 3

    /// Makes a worker; opens nothing yet. So many days of a new log are fetched live, so that they fire alerts.
    public init(
        _ configuration: Configuration, liveDays: Int = Self.usualLiveDays, imageDecoder: ImageDecoder = ImageDecoder(),
        runtime: Runtime
    ) {
        self.configuration = configuration
        self.liveDays = liveDays
        self.imageDecoder = imageDecoder
        self.runtime = runtime
    }

    /// Opens the database and the sockets, and runs the services until `stopRequested` returns or one of them fails.
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
        // Leaves the requests that wait to the other workers: without it they wait until this worker counts as dead.
        try? await services.store.write { try WorkerRegistry($0).remove($0.worker) }
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

    /// The open database and its log, the seal of the vendor's secrets, the name of this run among the workers that share
    /// the database, and the file that is locked as long as it is there; nil if the database is a file with a lock.
    private typealias Storage = (database: Database, log: EventLog, seal: SecretSeal, worker: Int, runFile: RunFile?)

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
        let log = try await database.read { try EventLog(source: "/marquee/worker", in: $0) }
        return (database, log, seal, worker, runFile)
    }
}

// MARK: - Sockets

extension WorkerProcess {
    private typealias Sockets = (
        io: IOThread, access: AccessControl, events: Socket, commands: Socket, requests: Socket
    )

    private func openSockets() async throws -> Sockets {
        let access = try AccessControl(configuration, of: .worker, runtime)
        // Requests carry images. The limits are above those of the contract, so that a request which exceeds these is
        // answered with an error instead of being dropped.
        var options = access.socketOptions
        options.maximumFrameBytes = 2 * RequestFrames.imageLimit
        options.maximumMessageBytes = (ProductConstraints.imageCount.upperBound + 1) * RequestFrames.imageLimit
        let io = try access.makeThread()
        let events = try await io.open(
            .publisher, bind: [configuration.events.description], options: access.socketOptions)
        let commands = try await io.open(.router, bind: [configuration.commands.description], options: options)
        let requests = try await io.open(
            .subscriber, bind: [configuration.requests.description], subscriptions: [""], options: options)
        runtime.metrics.addSockets([
            "requests": { requests.counters }, "commands": { commands.counters }, "events": { events.counters },
        ])
        return (io, access, events, commands, requests)
    }
}

// MARK: - Services

extension WorkerProcess {
    /// All services in the order in which they start, and what they use. They stop in reverse: first the intake, then the
    /// work, which still publishes its events.
    private typealias Services = (
        health: HealthServer, all: [any Service], clients: HTTPClients, store: WorkerStore
    )

    private func makeServices(_ storage: Storage, _ sockets: Sockets) async throws -> Services {
        let (database, log, seal, worker, runFile) = storage
        let (positions, newest) = try await database.read { (try log.positions(in: $0), try log.newestNumber(in: $0)) }
        let publisher = Publisher(sockets.events, of: log, positions: positions)
        publisher.report(to: runtime.metrics)
        let metrics = WorkerMetrics(runtime.metrics, clock: runtime.clock)
        let queue = RequestQueue()
        let (scheduleSignal, backfillSignal, commitSignal) = (WakeSignal(), WakeSignal(), WakeSignal())
        let isShared = database.isShared
        let handler = CommitHandler(
            publish: { events in
                if isShared { commitSignal.signal() } else { publisher.publish(events) }
            }, queue: queue, metrics: metrics, runtime: runtime, scheduleSignal: scheduleSignal,
            backfillSignal: backfillSignal)
        let store = WorkerStore(
            database: database, log: log, inboxLimit: Self.inboxLimit, seal: seal, runtime: runtime,
            worker: worker, onCommit: handler.handle)
        let limits = IntakeLimits(
            share: configuration.clientDailyMegabytes << 20, reserve: configuration.diskReserveMegabytes << 20,
            folder: configuration.dataFolder)
        let intake = RequestIntake(
            store: store, queue: queue, logger: RateLimitedLogger(runtime.logger), metrics: metrics, runtime: runtime,
            requestGuard: sockets.access.requestGuard, limits: limits)
        let quota = QuotaLedger(database: database, wallClock: runtime.wallClock, configuration)
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
        let predecessor = runFile?.predecessor
        // Before anything can be accepted, so that the queue has no request twice.
        try await store.write { transaction in
            let registry = WorkerRegistry(transaction)
            try registry.sign()
            if !isShared { try registry.removeOthers() }
            if let predecessor { try registry.remove(predecessor) }
            try RequestInbox(transaction).claimPending()
        }
        database.onCommit(commitSignal.signal)
        let sharing: [any Service] =
            isShared
            ? [
                LogFollower(
                    store: store, publish: publisher.publish, runtime: runtime, start: newest, wakeSignal: commitSignal),
                TakeoverService(store: store, runtime: runtime),
            ] : []
        let status = StatusReporter(
            store: store, queue: queue, quota: quota, schedule: schedule, backfill: backfill, runtime: runtime)
        let requestGuard = sockets.access.requestGuard
        let commands = LogHandler(
            log: log, database: database, requestGuard: requestGuard,
            own: [
                "backfill": backfill.answer, "book": quota.answer,
                "poster": PosterHandler(store: store, requestGuard: requestGuard, runtime: runtime).answer,
            ], status: status.reply)
        let publishing = SimpleService { [runtime] in
            async let _ = sockets.access.disconnectWithdrawnClients(from: sockets.io)
            await publisher.run(now: runtime.wallClock.now, clock: runtime.clock)
        } stop: {
            await sockets.events.close()
        }
        let services: [(any Service)?] =
            [health, publishing] + sharing + [
                RequestRetention(store: store, days: configuration.requestDays, runtime: runtime), schedule, backfill,
                fetching,
                RequestService(
                    socket: sockets.requests, intake: intake, logger: RateLimitedLogger(runtime.logger)),
                CommandService(
                    socket: sockets.commands, intake: intake, logCommands: commands, io: sockets.io,
                    failPoints: runtime.failPoints),
            ]
        return (health, services.compactMap(\.self), clients, store)
    }

    private func makeFetchService(
        _ clients: HTTPClients, store: WorkerStore, queue: RequestQueue, quota: QuotaLedger, metrics: WorkerMetrics
    ) -> FetchService {
        let openMarket = makeOpenMarketExecutor(clients, store)
        let (kobis, kakao) = (configuration.kobis, configuration.kakao)
        func fetcher(_ client: HTTPClient) -> Fetcher {
            Fetcher(
                store: store, client: client, kobis: kobis.key.map { Kobis(url: kobis.url, key: $0.value) },
                posters: kakao.key.map {
                    PosterSearch(
                        client: client, images: clients.images, search: KakaoImageSearch(url: kakao.url, key: $0.value),
                        allowsPrivateAddresses: configuration.allowsPrivateImages)
                }, quota: quota, runtime: runtime, openMarket: openMarket)
        }
        let (live, backfill, visitors) = (fetcher(clients.live), fetcher(clients.backfill), fetcher(clients.visitors))
        return FetchService(
            width: max(FetchService.defaultWidth, 2 * configuration.callsAtOnce), queue: queue,
            fetcher: { share in
                switch share {
                case .live: live
                case .backfill: backfill
                case .visitors: visitors
                }
            }, store: store, metrics: metrics, runtime: runtime)
    }

    private func makeOpenMarketExecutor(_ clients: HTTPClients, _ store: WorkerStore) -> ProductOrderExecutor? {
        let settings = configuration.openMarket
        guard let url = settings.url else { return nil }
        let client = OpenMarketClient(
            store: store,
            api: OpenMarketAPI(url: url, identifier: settings.identifier?.value ?? ""),
            queryClient: clients.live, orderClient: clients.orders, hasIdentifier: settings.identifier != nil,
            secret: settings.secret, runtime: runtime)
        return ProductOrderExecutor(client: client, decoder: imageDecoder)
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
            let workers = try await store.read { try WorkerRegistry($0).workers() }
            // One alone does not show that it lives.
            return Double(max(workers.count { $0.silence <= WorkerRegistry.lifetime }, 1))
        }
        metrics.gauge("marquee_backfill_left", "Charts and movies that the present backfill still has to fetch.") {
            try await backfill.progress().map { $0.isOver ? 0 : Double($0.total - $0.done - $0.failed) }
        }
    }
}

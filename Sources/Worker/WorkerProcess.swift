import BoxOffice
import Concurrency
import Contract
import EventStore
import FoundationEssentials
import Health
import Messaging
import Networking
public import Operations
import SQLite
import Upstreams
import ZeroMQ

/// The process that turns requests into events.
///
/// Requests come in on two sockets, go through the inbox to the fetchers and the upstreams, and leave as events of a
/// log. What was accepted is brought to its end, if need be after the next start.
public struct WorkerProcess: Sendable {
    /// How many requests may wait.
    private static let inboxLimit = 10_000

    let configuration: Configuration
    private let logger: Logger
    private let clock: WallClock
    private let sleeper: any Clock<Duration>
    private let failPoints: FailPoints

    /// Makes a worker; nothing is opened yet.
    public init(
        _ configuration: Configuration, logger: Logger, clock: WallClock = .system,
        sleeper: any Clock<Duration> = ContinuousClock(), failPoints: FailPoints = .none
    ) {
        self.configuration = configuration
        self.logger = logger
        self.clock = clock
        self.sleeper = sleeper
        self.failPoints = failPoints
    }

    /// Opens the database and the sockets, and works until `asked` returns.
    ///
    /// Throws before anything runs if the database or an address cannot be had.
    public func run(until asked: @escaping @Sendable () async -> Void) async throws {
        let started = clock.now()
        let age = Stopwatch(ContinuousClock())
        let folder = try DataFolder(configuration.dataFolder)
        let database = try Database(path: folder.file(Self.databaseName), schema: WorkerStore.schema)
        try await UpstreamBinding.bind(database, to: configuration.kobis.url)
        let (log, positions) = try await database.read { connection in
            let log = try EventLog(source: "/marquee/worker", in: connection)
            return (log, try log.positions(in: connection))
        }

        let metrics = Metrics()
        let access = try AccessControl(configuration, of: .worker, metrics: metrics, logger: logger)
        let io = try access.makeThread()
        let requestOptions = Self.requestOptions(access)
        let events = try await io.open(
            .publisher, bind: [configuration.events.description], options: access.socketOptions)
        let commands = try await io.open(
            .router, bind: [configuration.commands.description], options: requestOptions)
        let requests = try await io.open(
            .subscriber, bind: [configuration.requests.description], subscriptions: [""], options: requestOptions)

        let publisher = Publisher(events, of: log, positions: positions)
        let (scheduleSignal, backfillSignal) = (WakeSignal(), WakeSignal())
        let store = WorkerStore(
            database: database, log: log, inbox: RequestInbox(limit: Self.inboxLimit), clock: clock,
            publish: { publisher.publish($0) },
            onEnd: { origin in
                switch origin {
                case .client: break
                case .schedule: scheduleSignal.signal()
                case .backfill: backfillSignal.signal()
                }
            }, failPoints: failPoints)
        let quota = QuotaLedger(
            database: database, clock: clock,
            limits: [
                Kobis.service: configuration.kobis.dailyLimit, KakaoImageSearch.service: configuration.kakao.dailyLimit,
            ], reserve: configuration.quotaReserve)
        let counts = WorkerMetrics(metrics, clock: ContinuousClock())
        let key = KobisKeyHealth(configuration.kobis.key)
        // One for each priority, so that no live request shares a call that may not use the reserve.
        func client(for priority: Request.Priority) -> HTTPClient {
            HTTPClient(limits: HTTPClient.Limits(concurrentCalls: configuration.callsAtOnce)) {
                service throws(UpstreamError) in
                try await quota.book(service, for: priority)
            } afterAttempt: { service, failure, duration in
                counts.call(service, failure, duration)
                key.note(service, failure)
            }
        }
        let clients = (live: client(for: .live), backfill: client(for: .backfill))
        let images = HTTPClient(retry: .never, afterAttempt: counts.call)
        let orders = HTTPClient(retry: .never, afterAttempt: counts.call)
        let products = products(
            store: store, client: clients.live, orders: orders, clock: clock, failPoints: failPoints)
        let queue = RequestQueue()
        // Before anything is received: what comes in now would be found in the inbox, and be in the queue twice.
        queue.add(try await store.takeUp())
        let intake = RequestIntake(
            store: store, queue: queue, logger: logger, metrics: counts, clock: clock, door: access.requestGuard,
            failPoints: failPoints)
        let hasPosters = configuration.kakao.key != nil
        let schedule = ScheduleService(
            store: store, intake: intake, hasPosters: hasPosters, metrics: counts, logger: logger,
            clock: clock, sleeper: sleeper, wakeSignal: scheduleSignal)
        let backfill = BackfillService(
            store: store, intake: intake, quota: quota, hasPosters: hasPosters, logger: logger, clock: clock,
            sleeper: sleeper, wakeSignal: backfillSignal)
        let status: @Sendable () async throws -> WorkerStatus = {
            WorkerStatus(
                version: version, epoch: log.epoch,
                positions: try await database.read { try log.positions(in: $0) },
                queue: WorkerStatus.Queue(live: queue.lengths.live, backfill: queue.lengths.backfill),
                quota: try await quota.balances(),
                schedule: configuration.runsSchedule ? try await schedule.appointments() : [],
                backfill: try await backfill.progress(), uptime: Int(age.elapsed.components.seconds))
        }
        let statusCache = WorkerStatusCache()
        let statusReply: @Sendable () async throws -> Reply = {
            let queue = queue.lengths
            let version = WorkerStatusCache.Version(
                commits: database.commitCount, live: queue.live, backfill: queue.backfill,
                second: Int(clock.now().timeIntervalSince1970), uptime: Int(age.elapsed.components.seconds))
            return try await statusCache.reply(at: version, make: status)
        }

        metrics.addProcess(startedAt: started)
        addFigures(
            to: metrics, queue: queue, quota: quota, backfill: backfill, publisher: publisher,
            database: folder.file("worker.db"),
            sockets: ["requests": requests, "commands": commands, "events": events])
        let health = try healthServer(metrics, store: store, key: key)
        let fetchers = (
            live: fetcher(
                store: store, client: clients.live, images: images, quota: quota, products: products),
            backfill: fetcher(
                store: store, client: clients.backfill, images: images, quota: quota, products: products)
        )
        warnOfMissingKeys()

        logger.info(
            "worker ready",
            [
                .requests: requests.addresses[0], .commands: commands.addresses[0], .events: events.addresses[0],
                .http: health.address,
            ])
        let services: [(any Service)?] = [
            health, configuration.runsSchedule ? schedule : nil, backfill,
            SimpleService {
                await publisher.run(now: clock.now, clock: ContinuousClock())
            } stop: {
                await events.close()
            },
            FetchService(
                width: max(FetchService.width, 2 * configuration.callsAtOnce), executor: clients.live.executor,
                queue: queue,
                fetcher: { $0 == .live ? fetchers.live : fetchers.backfill }, store: store,
                logger: logger, metrics: counts, clock: ContinuousClock(), failPoints: failPoints),
            RequestService(socket: requests, intake: intake, store: store, logger: logger),
            CommandService(
                socket: commands, intake: intake,
                logCommands: LogCommandHandler(
                    log: log, database: database, requestGuard: access.requestGuard, own: ["backfill": backfill.answer],
                    status: statusReply), io: io,
                failPoints: failPoints),
        ]
        let group = ServiceGroup(services.compactMap(\.self), grace: .seconds(1))
        try await group.run(until: asked)
        await clients.live.shutdown()
        await clients.backfill.shutdown()
        await images.shutdown()
        await orders.shutdown()
        do {
            try await quota.giveBack()
        } catch {
            logger.warning("calls that are booked and not made are lost", [.error: "\(error)"])
        }
        await io.shutdown()
        await database.close()
        logger.info("worker stopped")
    }

    private func warnOfMissingKeys() {
        let (kobis, kakao) = (configuration.kobis, configuration.kakao)
        for (service, key) in [(Kobis.service, kobis.key), (KakaoImageSearch.service, kakao.key)] where key == nil {
            logger.warning("no key is configured; what needs this service will fail", [.service: service])
        }
    }

    private func fetcher(
        store: WorkerStore, client: HTTPClient, images: HTTPClient, quota: QuotaLedger,
        products: (fetcher: ProductFetcher, clerk: ProductOrderExecutor)?
    ) -> Fetcher {
        let (kobis, kakao) = (configuration.kobis, configuration.kakao)
        return Fetcher(
            store: store, client: client,
            kobis: kobis.key.map { Kobis(url: kobis.url, key: $0.value) },
            posters: kakao.key.map {
                PosterFinder(
                    client: client, images: images, search: KakaoImageSearch(url: kakao.url, key: $0.value),
                    allowsPrivateAddresses: configuration.allowsPrivateImages)
            }, quota: quota, clock: clock, products: products)
    }
}

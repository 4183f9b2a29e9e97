import BoxOffice
import Concurrency
import Events
import FoundationEssentials
import Health
import Networking
public import Operations
import SQLite
import Upstreams
import ZeroMQ

/// The process that turns requests into events.
///
/// Requests come in on two sockets, go through the inbox to the fetchers and the upstreams, and leave as events of a
/// log. What was accepted is brought to its end, if need be after the next start.
public struct Worker: Sendable {
    /// How many requests may wait.
    private static let inboxLimit = 10_000

    let configuration: Configuration
    private let logger: Logger
    private let clock: WallClock
    private let sleeper: any Clock<Duration>
    private let crashPoints: CrashPoints

    /// Makes a worker; nothing is opened yet.
    public init(
        _ configuration: Configuration, logger: Logger, clock: WallClock = .system,
        sleeper: any Clock<Duration> = ContinuousClock(), crashPoints: CrashPoints = .none
    ) {
        self.configuration = configuration
        self.logger = logger
        self.clock = clock
        self.sleeper = sleeper
        self.crashPoints = crashPoints
    }

    /// Opens the database and the sockets, and works until `asked` returns.
    ///
    /// Throws before anything runs if the database or an address cannot be had.
    public func run(until asked: @escaping @Sendable () async -> Void) async throws {
        let started = clock.now()
        let age = Stopwatch(ContinuousClock())
        let folder = try DataFolder(configuration.dataFolder)
        let database = try Database(path: folder.file(Self.databaseName), schema: Journal.schema)
        try await Origin.bind(database, to: configuration.kobis.url)
        let (log, positions) = try await database.read { connection in
            let log = try EventLog(source: "/marquee/worker", in: connection)
            return (log, try log.positions(in: connection))
        }

        let metrics = Metrics()
        let access = try Access(configuration, of: .worker, metrics: metrics, logger: logger)
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
        let journal = Journal(
            database: database, log: log, inbox: Inbox(limit: Self.inboxLimit), clock: clock,
            publish: { publisher.publish($0) },
            onEnd: { origin in
                switch origin {
                case .client: break
                case .schedule: scheduleSignal.signal()
                case .backfill: backfillSignal.signal()
                }
            }, crashPoints: crashPoints)
        let quota = QuotaLedger(
            database: database, clock: clock,
            limits: [
                Kobis.service: configuration.kobis.dailyLimit, KakaoImageSearch.service: configuration.kakao.dailyLimit,
            ], reserve: configuration.quotaReserve)
        let counts = WorkerMetrics(metrics, clock: ContinuousClock())
        let key = KobisKey(configuration.kobis.key)
        // One for each priority, so that no live request shares a call that may not use the reserve.
        func client(for priority: Request.Priority) -> HTTPClient {
            HTTPClient(limits: HTTPClient.Limits(callsAtOnce: configuration.callsAtOnce)) {
                service throws(UpstreamError) in
                try await quota.book(service, for: priority)
            } afterAttempt: { service, failure, duration in
                counts.call(service, failure, duration)
                key.note(service, failure)
            }
        }
        let clients = (live: client(for: .live), backfill: client(for: .backfill))
        let pictures = HTTPClient(retry: .never, afterAttempt: counts.call)
        let orders = HTTPClient(retry: .never, afterAttempt: counts.call)
        let products = products(
            journal: journal, client: clients.live, orders: orders, clock: clock, crashPoints: crashPoints)
        let queue = RequestQueue()
        // Before anything is received: what comes in now would be found in the inbox, and be in the queue twice.
        queue.add(try await journal.takeUp())
        let reception = Reception(
            journal: journal, queue: queue, logger: logger, metrics: counts, clock: clock, door: access.door,
            crashPoints: crashPoints)
        let hasPosters = configuration.kakao.key != nil
        let schedule = ScheduleService(
            journal: journal, reception: reception, hasPosters: hasPosters, metrics: counts, logger: logger,
            clock: clock, sleeper: sleeper, wakeSignal: scheduleSignal)
        let backfill = BackfillService(
            journal: journal, reception: reception, quota: quota, hasPosters: hasPosters, logger: logger, clock: clock,
            sleeper: sleeper, wakeSignal: backfillSignal)
        let status: @Sendable () async throws -> WorkerStatus = {
            WorkerStatus(
                version: version, epoch: log.epoch,
                positions: try await database.read { try log.positions(in: $0) },
                queue: WorkerStatus.Queue(live: queue.lengths.live, backfill: queue.lengths.backfill),
                quota: try await quota.balances(),
                schedule: configuration.schedules ? try await schedule.appointments() : [],
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
        let health = try healthServer(metrics, journal: journal, key: key)
        let fetchers = (
            live: fetcher(
                journal: journal, client: clients.live, pictures: pictures, quota: quota, products: products),
            backfill: fetcher(
                journal: journal, client: clients.backfill, pictures: pictures, quota: quota, products: products)
        )
        warnOfMissingKeys()

        logger.info(
            "worker ready",
            [
                .requests: requests.addresses[0], .commands: commands.addresses[0], .events: events.addresses[0],
                .http: health.address,
            ])
        let services: [(any Service)?] = [
            health, configuration.schedules ? schedule : nil, backfill,
            SimpleService {
                await publisher.run(now: clock.now, clock: ContinuousClock())
            } stop: {
                await events.close()
            },
            FetchService(
                width: max(FetchService.width, 2 * configuration.callsAtOnce), executor: clients.live.executor,
                queue: queue,
                fetcher: { $0 == .live ? fetchers.live : fetchers.backfill }, journal: journal,
                logger: logger, metrics: counts, clock: ContinuousClock(), crashPoints: crashPoints),
            RequestService(socket: requests, reception: reception, journal: journal, logger: logger),
            CommandService(
                socket: commands, reception: reception,
                logCommands: LogCommands(
                    log: log, database: database, door: access.door, own: ["backfill": backfill.answer],
                    status: statusReply), io: io,
                crashPoints: crashPoints),
        ]
        let group = ServiceGroup(services.compactMap(\.self), grace: .seconds(1))
        try await group.run(until: asked)
        await clients.live.shutdown()
        await clients.backfill.shutdown()
        await pictures.shutdown()
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
        journal: Journal, client: HTTPClient, pictures: HTTPClient, quota: QuotaLedger,
        products: (fetcher: ProductFetcher, clerk: ProductClerk)?
    ) -> Fetcher {
        let (kobis, kakao) = (configuration.kobis, configuration.kakao)
        return Fetcher(
            journal: journal, client: client,
            kobis: kobis.key.map { Kobis(url: kobis.url, key: $0.value) },
            posters: kakao.key.map {
                PosterFinder(
                    client: client, pictures: pictures, search: KakaoImageSearch(url: kakao.url, key: $0.value),
                    allowsPrivateAddresses: configuration.allowsPrivateImages)
            }, quota: quota, clock: clock, products: products)
    }
}

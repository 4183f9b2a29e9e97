import Concurrency
import Contract
import FoundationEssentials
import Health
public import Imaging
import Messaging
public import Operations
import SQLite
import WebServer
import ZeroMQ

/// The process that shows the box office in browsers: a page, its JSON API and live updates, all built from events.
public struct BoardProcess: Sendable {
    /// Settings of the board that are not in the configuration.
    public struct Options: Sendable {
        /// Folder of the page's files; nil uses the one that is installed with the program.
        public var webFolder: String?

        /// Path below which a reverse proxy shows the board.
        public var basePath = BasePath.root

        /// URL of a service, such as the sandbox, from which images are fetched even if its address is private.
        public var trustedImages: String?

        /// Whether the page shows a shop although the configuration names no Open Market, as with the sandbox.
        public var hasOpenMarket = false

        /// Decodes the images of other hosts, in processes of its own.
        public var imageDecoder = ImageDecoder()

        /// Makes the default options.
        public init() {}
    }

    private let configuration: Configuration
    private let options: Options
    private let logger: Logger
    private let wallClock: WallClock
    private let clock: any Clock<Duration>

    /// Makes a board; opens nothing yet.
    ///
    /// - Parameters:
    ///   - wallClock: Decides which days can have a chart, and how old an image is.
    ///   - clock: Measures rate limits and the age of sessions.
    public init(
        _ configuration: Configuration, options: Options = Options(), logger: Logger, wallClock: WallClock = .system,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.configuration = configuration
        self.options = options
        self.logger = logger
        self.wallClock = wallClock
        self.clock = clock
    }

    /// Opens the database, the sockets and the HTTP server, and serves until `stopRequested` returns.
    ///
    /// - Throws: The error of whatever cannot be opened, before anything is served.
    public func run(until stopRequested: @escaping @Sendable () async -> Void) async throws {
        let metrics = Metrics()
        metrics.addProcess(startedAt: wallClock.now())
        // The files come first: a wrong folder is an error before a database is made.
        let files = try BoardRouter.files(
            in: try options.webFolder ?? AssetFolder.find(), basePath: options.basePath)
        let folder = try DataFolder(configuration.dataFolder)
        let model = try await openReadModel(at: folder.file("board.db"), metrics)
        let streams = EventStreamHub(
            epoch: model.epoch, recent: try await model.recentUpdates(), limitPerClient: configuration.boardClientLive)
        streams.addMetrics(to: metrics)
        let sockets = try await openSockets(model, streams, metrics)
        let images = try ImageProxy(
            folder.file("images.db"), configuration, trusted: options.trustedImages, decoder: options.imageDecoder,
            wallClock: wallClock, logger: logger)
        images.addMetrics(to: metrics)
        let api = makeAPI(model, streams, sockets, images, metrics)
        let (server, healthServer) = try makeServers(files, api, sockets.heartbeats, metrics)

        folder.narrowPermissions(logger: logger)
        logger.warnOfSecretsInEnvironment(configuration)
        logger.info("board ready", [.http: server.address, .path: options.basePath, .metrics: healthServer?.address])
        var services: [any Service] =
            makeUpdaters(model, streams, sockets, metrics) + [
                sockets.heartbeats, HTTPService(server, streams: streams),
            ]
        if let healthServer { services.append(healthServer) }
        try await ServiceGroup(services, grace: .seconds(1)).run(until: stopRequested)
        await images.close()
        await sockets.io.shutdown()
        await model.database.close()
        logger.info("board stopped")
    }
}

// MARK: - Parts of `run`

extension BoardProcess {
    /// The I/O thread and what reads on it.
    private struct Sockets {
        let io: IOThread
        let heartbeats: HeartbeatMonitor
        let worker: Subscription
        let notifier: Subscription
    }

    private func openReadModel(at path: String, _ metrics: Metrics) async throws -> ReadModel {
        let database = try ReadModel.open(path, logger: logger)
        metrics.addDatabase(at: path)
        return try await ReadModel(database)
    }

    private func openSockets(
        _ model: ReadModel, _ streams: EventStreamHub, _ metrics: Metrics
    ) async throws -> Sockets {
        let io = try configuration.makeClientThread()
        let (events, alerts) = (configuration.events.reachable, configuration.alerts.reachable)
        let heartbeats = try await HeartbeatMonitor(
            io, worker: events, notifier: alerts, streams: streams, clock: ContinuousClock())
        let worker = try await Subscription(
            io, events: events, commands: configuration.commands.reachable,
            prefixes: ["ranking.", "movie.", "poster.", "products.", "product.", "request.", "anomaly."],
            from: try await model.start(of: .worker)
        ) { log($0) }
        let notifier = try await Subscription(
            io, events: alerts, commands: configuration.alertCommands.reachable, prefixes: ["alert."],
            from: try await model.start(of: .notifier)
        ) { log($0) }
        metrics.addSockets(["events": { worker.counters }, "alerts": { notifier.counters }])
        return Sockets(io: io, heartbeats: heartbeats, worker: worker, notifier: notifier)
    }

    private func makeUpdaters(
        _ model: ReadModel, _ streams: EventStreamHub, _ sockets: Sockets, _ metrics: Metrics
    ) -> [ReadModelUpdater] {
        let readCounter = metrics.counter("marquee_events_read_total", "Events read; each is counted once.")
        return [(ReadModel.Source.worker, sockets.worker), (.notifier, sockets.notifier)].map { source, subscription in
            ReadModelUpdater(
                source, subscription, model: model, streams: streams, logger: logger, readCounter: readCounter,
                clock: ContinuousClock())
        }
    }

    private func makeAPI(
        _ model: ReadModel, _ streams: EventStreamHub, _ sockets: Sockets, _ images: ImageProxy, _ metrics: Metrics
    ) -> API {
        API(
            model: model, streams: streams, posters: PosterImages(model: model, cache: images.cache),
            images: images.cache,
            requests: RequestForwarder(
                sockets.io, address: configuration.commands.reachable, perSecond: configuration.boardRate,
                perDay: configuration.boardRequestsPerDay, wallClock: wallClock, clock: clock),
            sessions: SessionStore(password: configuration.boardPassword, clock: clock),
            hasOpenMarket: options.hasOpenMarket || configuration.openMarket.url != nil, basePath: options.basePath,
            statuses: StatusCache(
                sockets.io, worker: configuration.commands.reachable, notifier: configuration.alertCommands.reachable),
            answers: AnswerCache(of: model, limit: configuration.memoryBudget.bytes(for: .queuedHTTP) / 4),
            isPrivate: isPrivate, isSecure: isSecure,
            refusalCounters: metrics.counters(
                "marquee_board_refused_total",
                "Requests to the board's API that were answered with an error, by its code.",
                for: ContractError.Code.allCases
            ) { ["code": $0.rawValue] },
            wallClock: wallClock, logger: logger, refusedPasswords: RateLimitedLogger(logger))
    }

    /// Whether the board is for its own machine alone: nothing says that visitors come from elsewhere.
    private var isPrivate: Bool {
        configuration.boardPassword == nil && configuration.boardHTTP.isLocal && configuration.boardHosts.isEmpty
            && configuration.boardProxies.isEmpty && configuration.publicURL == nil && options.basePath == .root
    }

    private var isSecure: Bool { configuration.publicURL?.hasPrefix("https:") ?? false }

    /// Makes the board's server, and that of the operator's pages if the configuration names an address for them.
    private func makeServers(
        _ files: StaticFiles, _ api: API, _ heartbeats: HeartbeatMonitor, _ metrics: Metrics
    ) throws -> (HTTPServer, HealthServer?) {
        let database = api.model.database
        let health = HealthPages(
            metrics: metrics, liveness: [.databaseRead(database)],
            readiness: [.databaseWrite(database), heartbeats.healthCheck])
        let proxies = Set(configuration.boardProxies.compactMap { ClientAddress($0) })
        let router = BoardRouter(
            basePath: options.basePath, files: files,
            pages: PageWriter(files, model: api.model, answers: api.answers, publicURL: configuration.publicURL),
            api: api, health: health, limits: VisitorLimits(perSecond: configuration.boardClientRate, clock: clock),
            proxyWarning: ProxyWarning(proxies: proxies, logger: logger))
        let hosts =
            configuration.boardHosts + [configuration.publicURL.flatMap { URL(string: $0)?.host() }].compactMap(\.self)
        let server = try HTTPServer(
            address: configuration.boardHTTP.description, limits: .board(configuration.memoryBudget),
            hosts: HostPolicy(names: hosts, openPaths: HealthPages.openPaths),
            proxies: proxies,
            bodyLimitOverride: router.bodyAllowance,
            busyResponse: WebResponse.failure(
                ContractError(
                    .overloaded, "the board receives as much as it has memory for; try again later", retryAfter: 5),
                status: 503
            ).withSecurityHeaders(isSecure: isSecure)
        ) { request in
            await router.respond(to: request)
        }
        metrics.addWebServer(server)
        let healthServer = try configuration.boardMetricsHTTP.map {
            try HealthServer(address: $0, hosts: configuration.boardHosts, pages: health)
        }
        return (server, healthServer)
    }

    private func log(_ note: Subscription.Diagnostic) {
        switch note {
        case .repaired(let stream, let count):
            logger.info(
                "events were missed on the socket and have been read from the log",
                [.stream: stream.rawValue, .count: count])
        case .retrying(let pause, let error):
            logger.warning(
                "cannot read missed events from the log; trying again", [.after: pause, .error: "\(error)"])
        }
    }
}

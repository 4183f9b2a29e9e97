import Concurrency
public import Contract
import FoundationEssentials
import Health
public import Imaging
import Messaging
public import ServiceRuntime
import Storage
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

        /// How the page shows alerts, by the words of their rules.
        public var ruleHeadings: [String: RuleHeading] = [:]

        /// Decodes the images of other hosts, in processes of its own.
        public var imageDecoder = ImageDecoder()

        /// Makes the default options.
        public init() {}
    }

    private let configuration: Configuration
    private let runtime: Runtime
    private let options: Options

    /// Makes a board; opens nothing yet.
    public init(_ configuration: Configuration, options: Options = Options(), runtime: Runtime) {
        self.configuration = configuration
        self.options = options
        self.runtime = runtime
    }

    /// Opens the databases, the sockets and the HTTP server, and runs the services until `stopRequested` returns.
    ///
    /// - Throws: Before any service runs, why something could not be opened; later the error of the first service that
    ///   fails.
    public func run(until stopRequested: @escaping @Sendable () async -> Void) async throws {
        runtime.metrics.addProcess(startedAt: runtime.wallClock.now())
        // The files come first: a wrong folder is an error before a database is made.
        let files = try BoardRouter.files(
            in: try options.webFolder ?? AssetFolder.find(), basePath: options.basePath,
            ruleHeadings: options.ruleHeadings)
        let storage = try await openStorage()
        let sockets = try await openSockets(storage)
        let services = try makeServices(storage, sockets, files)
        try DataFolder(configuration.dataFolder).narrowPermissions(logger: runtime.logger)
        runtime.logger.warnOfSecretsInEnvironment(configuration)
        runtime.logger.info(
            "board ready",
            [.http: services.server.address, .path: options.basePath, .metrics: services.health?.address])
        try await ServiceGroup(services.all, grace: .seconds(1)).run(until: stopRequested)
        await storage.images.close()
        await sockets.io.shutdown()
        await storage.model.database.close()
        runtime.logger.info("board stopped")
    }
}

// MARK: - Storage

extension BoardProcess {
    /// The open databases, and the updates that browsers get.
    private struct Storage {
        let model: ReadModel
        let images: ImageProxy
        let streams: EventStreamHub
    }

    private func openStorage() async throws -> Storage {
        let folder = try DataFolder(configuration.dataFolder)
        let path = folder.file("board.db")
        let database = try ReadModel.open(path, logger: runtime.logger)
        let model = try await ReadModel(database)
        runtime.metrics.addDatabase(database, at: .file(path))
        let images = try ImageProxy(
            folder.file("images.db"), configuration, trusted: options.trustedImages, decoder: options.imageDecoder,
            runtime: runtime)
        let streams = EventStreamHub(
            epoch: model.epoch, recent: try await model.recentUpdates(), limitPerClient: configuration.boardClientLive)
        streams.addMetrics(to: runtime.metrics)
        return Storage(model: model, images: images, streams: streams)
    }
}

// MARK: - Sockets

extension BoardProcess {
    /// The open sockets, and the thread that owns them.
    private struct Sockets {
        let io: IOThread
        let heartbeats: HeartbeatMonitor
        let worker: Subscription
        let notifier: Subscription
    }

    private func openSockets(_ storage: Storage) async throws -> Sockets {
        let io = try configuration.makeClientThread()
        let (events, alerts) = (configuration.reachableEvents, configuration.reachableAlerts)
        let heartbeats = try await HeartbeatMonitor(
            io, worker: events, notifier: alerts, streams: storage.streams, clock: runtime.clock)
        let worker = try await Subscription(
            io, events: events, commands: configuration.reachableCommands,
            prefixes: ["ranking.", "movie.", "poster.", "products.", "product.", "request.", "anomaly."],
            from: try await storage.model.position(of: .worker)
        ) { $0.log(to: runtime.logger) }
        let notifier = try await Subscription(
            io, events: alerts, commands: configuration.reachableAlertCommands, prefixes: ["alert."],
            from: try await storage.model.position(of: .notifier)
        ) { $0.log(to: runtime.logger) }
        runtime.metrics.addSockets(["events": { worker.counters }, "alerts": { notifier.counters }])
        return Sockets(io: io, heartbeats: heartbeats, worker: worker, notifier: notifier)
    }
}

// MARK: - Services

extension BoardProcess {
    private struct Services {
        let server: HTTPServer
        /// The server of the operator's pages, if the configuration names an address for them.
        let health: HealthServer?
        /// All services in the order in which they start. They stop in reverse: the HTTP servers first.
        let all: [any Service]
    }

    private func makeServices(_ storage: Storage, _ sockets: Sockets, _ files: StaticFiles) throws -> Services {
        let readCounter = runtime.metrics.counter("marquee_events_read_total", "Events read; each is counted once.")
        let updaters = [(ReadModel.Source.worker, sockets.worker), (.notifier, sockets.notifier)].map {
            ReadModelUpdater(
                $0, $1, model: storage.model, streams: storage.streams, readCounter: readCounter, runtime: runtime)
        }
        storage.images.addMetrics(to: runtime.metrics)
        let pages = HealthPages(
            metrics: runtime.metrics, liveness: [.databaseRead(storage.model.database, logger: runtime.logger)],
            readiness: [
                .databaseWrite(storage.model.database, logger: runtime.logger), sockets.heartbeats.healthCheck,
            ])
        let server = try makeServer(files, makeAPI(storage, sockets), pages)
        runtime.metrics.addWebServer(server)
        let health = try configuration.boardMetricsHTTP.map {
            try HealthServer(address: $0, hosts: configuration.boardHosts, pages: pages)
        }
        let end = WakeSignal()
        let serving = SimpleService {
            await end.waitForStop()
            // Before the server, which they would keep running.
            storage.streams.close()
            await server.shutdown(grace: .milliseconds(250))
        } stop: {
            end.stop()
        }
        let services: [(any Service)?] = updaters + [sockets.heartbeats, serving, health]
        return Services(server: server, health: health, all: services.compactMap(\.self))
    }

    private func makeAPI(_ storage: Storage, _ sockets: Sockets) -> API {
        let (model, images) = (storage.model, storage.images.cache)
        return API(
            model: model, streams: storage.streams, images: images,
            requests: RequestForwarder(
                sockets.io, addresses: configuration.reachableCommands, perSecond: configuration.boardRate,
                perDay: configuration.boardRequestsPerDay, runtime: runtime),
            sessions: BoardSessions(password: configuration.boardPassword, clock: runtime.clock),
            hasOpenMarket: options.hasOpenMarket || configuration.openMarket.url != nil, basePath: options.basePath,
            statuses: StatusCache(
                sockets.io, worker: configuration.reachableCommands, notifier: configuration.reachableAlertCommands),
            answers: ResponseCache(of: model, limit: configuration.memoryBudget.bytes(for: .queuedHTTP) / 4),
            isPrivate: isPrivate, isSecure: isSecure,
            refusalCounters: runtime.metrics.counters(
                "marquee_board_refused_total",
                "Requests to the board's API that were answered with an error, by its code.",
                for: ContractError.Code.allCases
            ) { ["code": $0.rawValue] },
            runtime: runtime, refusedPasswords: RateLimitedLogger(runtime.logger))
    }

    /// Whether the board is for its own machine alone: nothing says that visitors come from elsewhere.
    private var isPrivate: Bool {
        configuration.boardPassword == nil && configuration.boardHTTP.isLocal && configuration.boardHosts.isEmpty
            && configuration.boardProxies.isEmpty && configuration.publicURL == nil && options.basePath == .root
    }

    private var isSecure: Bool { configuration.publicURL?.hasPrefix("https:") ?? false }

    private func makeServer(_ files: StaticFiles, _ api: API, _ health: HealthPages) throws -> HTTPServer {
        let proxies = Set(configuration.boardProxies.compactMap { ClientAddress($0) })
        let router = BoardRouter(
            basePath: options.basePath, files: files,
            pages: PageWriter(files, model: api.model, answers: api.answers, publicURL: configuration.publicURL),
            api: api, health: health,
            limits: VisitorLimits(
                burst: VisitorLimits.burstSeconds * configuration.boardClientRate,
                perSecond: Double(configuration.boardClientRate), clock: runtime.clock),
            proxyWarning: ProxyWarning(proxies: proxies, logger: runtime.logger))
        let hosts =
            configuration.boardHosts + [configuration.publicURL.flatMap { URL(string: $0)?.host() }].compactMap(\.self)
        return try HTTPServer(
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
    }
}

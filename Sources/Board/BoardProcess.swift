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
        /// The sandbox's URL: images are fetched from there even if its address is private, and the page shows a shop.
        public var trustedImages: String?

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
    public func run(until stopRequested: @escaping @Sendable () async -> Void) async throws {
        runtime.metrics.addProcess(startedAt: runtime.wallClock.now())
        // The files come first: a wrong folder is an error before a database is made.
        let files = try BoardRouter.files(
            in: try options.webFolder ?? AssetFolder.find(), basePath: options.basePath,
            ruleHeadings: options.ruleHeadings)
        let folder = try DataFolder(configuration.dataFolder)
        let path = folder.file("board.db")
        let model = try await ReadModel(try ReadModel.open(path, logger: runtime.logger))
        runtime.metrics.addDatabase(model.database, at: .file(path))
        let images = try openImages(folder.file("images.db"))
        images.addMetrics(to: runtime.metrics)
        let streams = EventStreamHub(
            epoch: model.epoch, recent: try await model.recentUpdates(), limitPerClient: configuration.boardClientLive)
        streams.addMetrics(to: runtime.metrics)

        let io = try configuration.makeClientThread()
        let heartbeats = try await HeartbeatMonitor(
            io, worker: configuration.reachableEvents, notifier: configuration.reachableAlerts, streams: streams,
            clock: runtime.clock)
        let worker = try await Subscription(
            io, events: configuration.reachableEvents, commands: configuration.reachableCommands,
            prefixes: ["ranking.", "movie.", "poster.", "products.", "product.", "request.", "anomaly."],
            from: try await model.position(of: .worker)
        ) { $0.log(to: runtime.logger) }
        let notifier = try await Subscription(
            io, events: configuration.reachableAlerts, commands: configuration.reachableAlertCommands,
            prefixes: ["alert."], from: try await model.position(of: .notifier)
        ) { $0.log(to: runtime.logger) }
        runtime.metrics.addSockets(["events": { worker.counters }, "alerts": { notifier.counters }])
        let readCounter = runtime.metrics.counter("marquee_events_read_total", "Events read; each is counted once.")
        let updaters = [(ReadModel.Source.worker, worker), (.notifier, notifier)].map {
            ReadModelUpdater(
                source: $0, subscription: $1, model: model, streams: streams, readCounter: readCounter,
                logger: runtime.logger.with([.process: $0.rawValue]), clock: runtime.clock)
        }

        let pages = HealthPages(
            metrics: runtime.metrics, liveness: [.databaseRead(model.database, logger: runtime.logger)],
            readiness: [.databaseWrite(model.database, logger: runtime.logger), heartbeats.healthCheck])
        let server = try makeServer(files, makeAPI(model, images, streams, io), pages)
        runtime.metrics.addWebServer(server)
        let health = try configuration.boardMetricsHTTP.map {
            try HealthServer(address: $0, hosts: configuration.boardHosts, pages: pages)
        }
        let end = WakeSignal()
        let serving = SimpleService {
            await end.waitForStop()
            // Before the server, which they would keep running.
            streams.close()
            await server.shutdown(grace: .milliseconds(250))
        } stop: {
            end.stop()
        }
        folder.narrowPermissions(logger: runtime.logger)
        runtime.logger.warnOfSecretsInEnvironment(configuration)
        runtime.logger.info(
            "board ready", [.http: server.address, .path: options.basePath, .metrics: health?.address])
        // They stop in reverse: the HTTP servers first.
        let services: [(any Service)?] = updaters + [heartbeats, serving, health]
        try await ServiceGroup(services.compactMap(\.self), grace: .seconds(1)).run(until: stopRequested)
        await images.close()
        await io.shutdown()
        await model.database.close()
        runtime.logger.info("board stopped")
    }

    private func openImages(_ path: String) throws -> ImageCache {
        let memory = configuration.memoryBudget.bytes(for: .upstreamBodies)
        return try ImageCache(
            path,
            fetcher: ImageFetcher(
                client: ImageFetcher.makeClient(memory: memory),
                allowsPrivateAddresses: configuration.allowsPrivateImages, trustedURL: options.trustedImages),
            decoder: options.imageDecoder, limits: ImageCache.Limits(undecoded: min(40 << 20, memory)),
            wallClock: runtime.wallClock, logger: runtime.logger)
    }

    private func makeAPI(
        _ model: ReadModel, _ images: ImageCache, _ streams: EventStreamHub, _ io: IOThread
    ) -> API {
        API(
            model: model, streams: streams, images: images,
            requests: RequestForwarder(
                io, addresses: configuration.reachableCommands, perSecond: configuration.boardRate,
                perDay: configuration.boardRequestsPerDay, runtime: runtime),
            sessions: BoardSessions(password: configuration.boardPassword, clock: runtime.clock),
            hasOpenMarket: options.trustedImages != nil || configuration.openMarket.url != nil,
            basePath: options.basePath,
            statuses: StatusCache(
                io, worker: configuration.reachableCommands, notifier: configuration.reachableAlertCommands),
            answers: SharedResponses(of: model),
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
            isProxyKnown: Locked(!proxies.isEmpty))
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

import Contract
import Health
import Messaging
public import Operations
import SQLite
import WebServer
import ZeroMQ

/// The process that shows the box office in browsers: a page, its API and its live news, fed by events alone.
public struct BoardProcess: Sendable {
    /// How the board is set up beside the configuration.
    public struct Options: Sendable {
        /// The folder of the page's files; nil for the one that belongs to the program.
        public var webFolder: String?
        /// Where the board lies below a proxy's address.
        public var base = BasePath.root

        /// The address of a service, such as the sandbox, whose pictures may be fetched wherever it is.
        public var trustedImages: String?

        /// Whether there is a market beside the one that the configuration may name, such as the sandbox's.
        public var hasMarket = false

        /// Makes the usual options.
        public init() {}
    }

    private let configuration: Configuration
    private let options: Options
    private let logger: Logger
    private let clock: WallClock
    private let pauses: any Clock<Duration>

    /// Makes a board; nothing is opened yet. `pauses` measures how long visitors have asked for nothing, and
    /// their sessions.
    public init(
        _ configuration: Configuration, options: Options = Options(), logger: Logger, clock: WallClock = .system,
        pauses: any Clock<Duration> = ContinuousClock()
    ) {
        self.configuration = configuration
        self.options = options
        self.logger = logger
        self.clock = clock
        self.pauses = pauses
    }

    /// Opens the database, the sockets and the page, and serves until `asked` returns.
    ///
    /// Throws before anything runs if one of them cannot be had.
    public func run(until asked: @escaping @Sendable () async -> Void) async throws {
        let metrics = Metrics()
        metrics.addProcess(startedAt: clock.now())
        let files = try BoardRouter.files(in: try options.webFolder ?? AssetFolder.find(), base: options.base)
        let folder = try DataFolder(configuration.dataFolder)
        let path = folder.file("board.db")
        let database = try ReadModel.open(path, logger: logger)
        metrics.addDatabase(at: path)
        let model = try await ReadModel(database)
        let hub = EventStreamHub(epoch: model.epoch, recent: try await model.recentNews())
        hub.report(to: metrics)

        let io = try configuration.makeClientThread()
        let (events, commands) = (configuration.events.reachable, configuration.commands.reachable)
        let (alerts, alertCommands) = (configuration.alerts.reachable, configuration.alertCommands.reachable)
        let pulse = try await HeartbeatMonitor(io, worker: events, notifier: alerts, hub: hub, clock: ContinuousClock())
        let worker = try await Subscription(
            io, events: events, commands: commands,
            prefixes: ["ranking.", "movie.", "poster.", "products.", "product.", "request.", "anomaly."],
            from: try await model.start(of: .worker)
        ) { note($0) }
        let notifier = try await Subscription(
            io, events: alerts, commands: alertCommands, prefixes: ["alert."],
            from: try await model.start(of: .notifier)
        ) { note($0) }
        metrics.addSockets(["events": { worker.counters }, "alerts": { notifier.counters }])
        let read = metrics.counter("marquee_events_read_total", "Events that were read, each once.")
        let feeds = [(ReadModel.Source.worker, worker), (.notifier, notifier)].map { source, subscription in
            ReadModelUpdater(
                source, subscription, into: model, telling: hub, logger: logger, read: read, clock: ContinuousClock())
        }

        let images = try ImageProxy(
            folder.file("pictures.db"), configuration, trusted: options.trustedImages, clock: clock, logger: logger)
        images.report(to: metrics)
        let sessions = SessionStore(password: configuration.boardPassword, clock: pauses)
        let api = API(
            model: model, hub: hub,
            posters: PosterImages(model: model, cache: images.cache), images: images.cache,
            requests: RequestForwarder(
                io, address: commands, perSecond: configuration.boardRate, wallClock: clock, clock: pauses),
            sessions: sessions, hasMarket: options.hasMarket || configuration.openMarket.url != nil, base: options.base,
            statuses: StatusCache(io, worker: commands, notifier: alertCommands),
            refused: metrics.counters(
                "marquee_board_refused_total", "Requests to the board's API answered with an error, by its code.",
                for: ContractError.Code.allCases
            ) { ["code": $0.rawValue] },
            clock: clock, logger: logger)
        let health = HealthPages(
            metrics: metrics, livesIf: [.answers(database)], isReadyIf: [.writes(to: database), pulse.check])
        let site = BoardRouter(base: options.base, files: files, api: api) { await health.page($0) }
        let server = try HTTPServer(
            address: configuration.boardHTTP.description, limits: .board, allowing: site.bodyAllowance
        ) { request in
            await site.respond(to: request)
        }
        metrics.addWebServer(server)

        logger.info("board ready", [.http: server.address, .path: options.base])
        let services: [any Service] = feeds + [pulse, HTTPService(server, hub: hub)]
        try await ServiceGroup(services, grace: .seconds(1)).run(until: asked)
        await images.close()
        await io.shutdown()
        await database.close()
        logger.info("board stopped")
    }

    /// Logs what becomes of a subscription.
    private func note(_ note: Subscription.Diagnostic) {
        switch note {
        case .repaired(let stream, let count):
            logger.info("events that were missed are read from the log", [.stream: stream.rawValue, .count: count])
        case .retrying(let pause, let error):
            logger.warning("a log cannot be read; it will be asked again", [.after: pause, .error: "\(error)"])
        }
    }
}

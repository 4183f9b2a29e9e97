import Events
import Health
import Networking
public import Operations
import Pictures
import SQLite
import WebServer
import ZeroMQ

/// The process that shows the box office in browsers: a page, its API and its live news, fed by events alone.
public struct Board: Sendable {
    /// How the board is set up beside the configuration.
    public struct Options: Sendable {
        /// The folder of the page's files; nil for the one that belongs to the program.
        public var webFolder: String?
        /// Where the board lies below a proxy's address.
        public var base = BasePath.root

        /// The address of a service, such as the sandbox, whose pictures may be fetched wherever it is.
        public var trustedPictures: String?

        /// Makes the usual options.
        public init() {}
    }

    private let configuration: Configuration
    private let options: Options
    private let logger: Logger
    private let clock: WallClock

    /// Makes a board; nothing is opened yet.
    public init(
        _ configuration: Configuration, options: Options = Options(), logger: Logger, clock: WallClock = .system
    ) {
        self.configuration = configuration
        self.options = options
        self.logger = logger
        self.clock = clock
    }

    /// Opens the database, the sockets and the page, and serves until `asked` returns.
    ///
    /// Throws before anything runs if one of them cannot be had.
    public func run(until asked: @escaping @Sendable () async -> Void) async throws {
        let metrics = Metrics()
        metrics.addProcess(startedAt: clock.now())
        let files = try Site.files(in: try options.webFolder ?? WebFolder.find(), base: options.base)
        let folder = try DataFolder(configuration.dataFolder)
        let path = folder.file("board.db")
        let database = try ReadModel.open(path, logger: logger)
        metrics.addDatabase(at: path)
        let model = try await ReadModel(database)
        let hub = Hub(epoch: model.epoch, recent: try await model.recentNews())
        hub.report(to: metrics)

        let io = try configuration.makeClientThread()
        let (events, commands) = (configuration.events.reachable, configuration.commands.reachable)
        let (alerts, alertCommands) = (configuration.alerts.reachable, configuration.alertCommands.reachable)
        let pulse = try await Pulse(io, worker: events, notifier: alerts, hub: hub, clock: ContinuousClock())
        let worker = try await Subscription(
            io, events: events, commands: commands,
            prefixes: ["ranking.", "movie.", "poster.", "request.", "anomaly."],
            from: try await model.start(of: .worker)
        ) { note($0) }
        let notifier = try await Subscription(
            io, events: alerts, commands: alertCommands, prefixes: ["alert."],
            from: try await model.start(of: .notifier)
        ) { note($0) }
        metrics.addSockets(["events": { worker.counters }, "alerts": { notifier.counters }])
        let read = metrics.counter("marquee_events_read_total", "Events that were read, each once.")
        let feeds = [(ReadModel.Source.worker, worker), (.notifier, notifier)].map { source, subscription in
            Feed(source, subscription, into: model, telling: hub, logger: logger, read: read, clock: ContinuousClock())
        }

        let pictureClient = HTTPClient(retry: .never)
        let pictureFile = try openPictures(folder)
        let pictures = PictureCache(
            database: pictureFile,
            fetch: PictureFetch(
                client: pictureClient, allowsPrivateAddresses: configuration.allowsPrivateImages,
                trusted: options.trustedPictures),
            clock: clock
        ) { [logger] error in
            logger.warning("a picture cannot be kept, and will be fetched again", [.error: "\(error)"])
        }
        metrics.counters("marquee_pictures_total", "Pictures that were asked for, by where they were.", by: "from") {
            await pictures.counts()
        }
        metrics.gauges("marquee_pictures_bytes", "Bytes of the pictures that are kept.", by: "where") {
            try await pictures.sizes()
        }
        let api = API(
            model: model, hub: hub,
            posters: Posters(model: model, cache: pictures),
            requests: RequestDesk(io, address: commands, wallClock: clock, clock: ContinuousClock()),
            statuses: StatusDesk(io, worker: commands, notifier: alertCommands), clock: clock, logger: logger)
        let health = HealthPages(
            metrics: metrics, livesIf: [.answers(database)], isReadyIf: [.writes(to: database), pulse.check])
        let site = Site(base: options.base, files: files, api: api) { await health.page($0) }
        let server = try WebServer(address: configuration.boardHTTP.description, limits: .board) { request in
            await site.respond(to: request)
        }

        logger.info("board ready", [.http: server.address, .path: options.base])
        let services: [any Service] = feeds + [pulse, PageService(server, hub: hub)]
        try await ServiceGroup(services, grace: .seconds(1)).run(until: asked)
        await pictureClient.shutdown()
        await io.shutdown()
        await pictureFile.close()
        await database.close()
        logger.info("board stopped")
    }

    /// Opens the file of the pictures, or makes a new one in the place of one that cannot be used.
    private func openPictures(_ folder: DataFolder) throws -> Database {
        try Database.disposable(path: folder.file("pictures.db"), schema: PictureCache.schema) { error in
            logger.warning("the board's pictures cannot be used, and are fetched again", [.error: "\(error)"])
        }
    }

    /// Logs what becomes of a subscription.
    private func note(_ note: Subscription.Note) {
        switch note {
        case .repaired(let stream, let count):
            logger.info("events that were missed are read from the log", [.stream: stream.rawValue, .count: count])
        case .waiting(let pause, let error):
            logger.warning("a log cannot be read; it will be asked again", [.after: pause, .error: "\(error)"])
        }
    }
}

public import Text

/// The settings of all processes, read from the environment and checked.
///
/// A variable that is not set has the default that docs/configuration.md lists. A variable that is set but empty counts as
/// not set: Compose passes unset variables that way.
public struct Configuration: Sendable {
    /// The connection to an upstream API.
    public struct Upstream: Sendable {
        /// The base URL, without a trailing slash.
        public var url: String
        /// The API key; nil if none is set.
        public var key: Secret?
        /// The number of calls that the API allows per day in Korean time.
        public var dailyLimit: Int
    }

    /// The connection to an Open Market.
    public struct OpenMarket: Sendable {
        /// The base URL, without a trailing slash; nil if no Open Market is used.
        public var url: String?
        /// The vendor's identifier.
        public var identifier: Secret?
        /// The vendor's password.
        public var secret: Secret?
    }

    /// The encryption of ZeroMQ sockets with CURVE.
    public struct Curve: Sendable {
        /// Whether sockets are encrypted. All processes and clients must have the same setting.
        public var isOn: Bool
        /// The folder of the key files.
        public var folder: String
        /// The name of the servers' key.
        public var server: String
        /// The name of the key with which this process connects to others.
        public var client: String
    }

    /// Limits on clients of the worker and the notifier.
    public struct ClientLimits: Sendable {
        /// Requests and commands per second that one client may send on average.
        public var requestsPerSecond: Int
        /// Accepted requests of one client that may wait in the queue.
        public var waitingRequests: Int
        /// Clients that may be connected to one address.
        public var connections: Int

        /// Connections of one key that have sent a message.
        public var connectionsPerKey: Int
        /// Clients of one IP address that may be connected to one of ours before they have greeted.
        public var pendingConnections: Int

        /// Makes the limits.
        public init(
            requestsPerSecond: Int, waitingRequests: Int, connections: Int = 4_096, connectionsPerKey: Int = 64,
            pendingConnections: Int = 256
        ) {
            self.requestsPerSecond = requestsPerSecond
            self.waitingRequests = waitingRequests
            self.connections = connections
            self.connectionsPerKey = connectionsPerKey
            self.pendingConnections = pendingConnections
        }
    }

    /// A process that other programs connect to.
    public enum ProcessRole: String, Sendable {
        case worker
        case notifier
        case board
        case sandbox

        /// Whether the process also connects to another one.
        public var isClient: Bool { self == .notifier }
    }

    // MARK: Addresses

    /// The worker's address for requests.
    public var requests: ZeroMQAddress
    /// The worker's address for commands.
    public var commands: ZeroMQAddress
    /// The address at which the worker publishes events.
    public var events: ZeroMQAddress
    /// The address at which the notifier publishes alerts.
    public var alerts: ZeroMQAddress
    /// The notifier's address for commands.
    public var alertCommands: ZeroMQAddress
    /// The hosts of the workers that share a database; empty if there is one worker, at the addresses above.
    public var workers: [String]
    /// The hosts of the notifiers that share a database; empty if there is one.
    public var notifiers: [String]
    /// The address of the worker's health and metrics pages.
    public var workerHTTP: HTTPAddress
    /// The address of the notifier's health and metrics pages.
    public var notifierHTTP: HTTPAddress
    /// The address of the board.
    public var boardHTTP: HTTPAddress
    /// The address of the board's health and metrics pages for the operator; nil if there is none.
    public var boardMetricsHTTP: HTTPAddress?
    /// The URL by which visitors reach the board, without a trailing slash; nil if none is set.
    public var publicURL: String?
    /// The address of the sandbox.
    public var sandboxHTTP: HTTPAddress

    // MARK: Access

    /// The password for writing on the board; nil if nobody may write.
    public var boardPassword: Secret?
    /// Requests per second that all visitors of the board together may send on average.
    public var boardRate: Int
    /// Requests a day in Korea that all visitors of the board who are not signed in may send together.
    public var boardRequestsPerDay: Int
    /// Requests per second that one client of the board may send on average.
    public var boardClientRate: Int
    /// Live updates that one client of the board may receive at the same time.
    public var boardClientLive: Int
    /// The IP addresses of the proxies before the board.
    public var boardProxies: [String]
    /// Names in `Host` to which the HTTP servers answer beside IP addresses and `localhost`.
    public var boardHosts: [String]
    /// The encryption of ZeroMQ sockets.
    public var curve: Curve
    /// Whether other machines may connect without encryption.
    public var allowsInsecureAddresses: Bool
    /// Limits on clients.
    public var clientLimits: ClientLimits
    /// The memory that the process may use.
    public var memoryBudget: MemoryBudget
    /// Whether images may be fetched from private and loopback addresses.
    public var allowsPrivateImages: Bool

    // MARK: Upstreams

    /// The Korean Film Council's open API.
    public var kobis: Upstream
    /// Kakao's image search.
    public var kakao: Upstream
    /// The Open Market.
    public var openMarket: OpenMarket
    /// The percentage of each day's calls that is reserved for live requests.
    public var quotaReserve: Int
    /// The number of simultaneous calls to one upstream.
    public var callsAtOnce: Int
    /// The setting for scheduled fetches of charts; nil if it is not set.
    public var schedule: Bool?
    /// The setting for how many days before yesterday a new log begins with; nil if it is not set.
    private var ownHistoryDays: Int?

    // MARK: Disk

    /// Megabytes that the requests of one client may add to the database in a day.
    public var clientDailyMegabytes: Int
    /// Days for which a request that has ended and its events are kept.
    public var requestDays: Int
    /// Megabytes of free disk below which requests are refused, so that the log has room.
    public var diskReserveMegabytes: Int

    // MARK: Files, logs and the process

    /// The path of the folder for databases.
    public var dataFolder: String
    /// The address of the PostgreSQL database that has the state of worker and notifier; nil for files in `dataFolder`.
    public var database: Secret?
    /// The path of the rule file; nil if there is none.
    public var rules: String?
    /// The lowest level that is logged.
    public var logLevel: Logger.Level
    /// The format of a log line.
    public var logFormat: Logger.Format
    /// Whether other processes of the same user may read this process's memory, for debuggers and measurements.
    public var isTraceable: Bool
    /// The names of the variables that hold a secret itself, and not the path of its file.
    public var secretsInEnvironment: [String]

    /// Reads the environment, and the files that hold secrets.
    ///
    /// - Throws: the first error that is found.
    public init(environment: [String: String]) throws(ConfigurationError) {
        let environment = Environment(environment)
        requests = try environment.zeroMQAddress("MARQUEE_REQUESTS", or: "tcp://127.0.0.1:5550")
        commands = try environment.zeroMQAddress("MARQUEE_COMMANDS", or: "tcp://127.0.0.1:5551")
        events = try environment.zeroMQAddress("MARQUEE_EVENTS", or: "tcp://127.0.0.1:5552")
        alerts = try environment.zeroMQAddress("MARQUEE_ALERTS", or: "tcp://127.0.0.1:5553")
        alertCommands = try environment.zeroMQAddress("MARQUEE_ALERT_COMMANDS", or: "tcp://127.0.0.1:5554")
        workers = try environment.hosts("MARQUEE_WORKERS")
        notifiers = try environment.hosts("MARQUEE_NOTIFIERS")
        workerHTTP = try environment.httpAddress("MARQUEE_WORKER_HTTP", or: "127.0.0.1:8550")
        notifierHTTP = try environment.httpAddress("MARQUEE_NOTIFIER_HTTP", or: "127.0.0.1:8551")
        boardHTTP = try environment.httpAddress("MARQUEE_BOARD_HTTP", or: "127.0.0.1:8080")
        boardMetricsHTTP = try environment.optional("MARQUEE_BOARD_METRICS_HTTP", environment.httpAddress)
        publicURL = try environment.optional("MARQUEE_PUBLIC_URL", environment.url)
        sandboxHTTP = try environment.httpAddress("MARQUEE_SANDBOX_HTTP", or: "127.0.0.1:8590")
        boardPassword = try environment.password("MARQUEE_BOARD_PASSWORD")
        boardRate = try environment.limit("MARQUEE_BOARD_RATE", or: 4)
        boardRequestsPerDay = try environment.limit("MARQUEE_BOARD_REQUESTS_A_DAY", or: 300)
        boardClientRate = try environment.limit("MARQUEE_BOARD_CLIENT_RATE", or: 50)
        boardClientLive = try environment.limit("MARQUEE_BOARD_CLIENT_LIVE", or: 64)
        boardProxies = try environment.ipAddresses("MARQUEE_BOARD_PROXIES")
        boardHosts = try environment.hostNames("MARQUEE_BOARD_HOSTS")
        curve = Curve(
            isOn: try environment.flag("MARQUEE_CURVE", or: "off"),
            folder: try environment.absolutePath("MARQUEE_CURVE_KEYS", or: "./marquee-keys"),
            server: try environment.keyName("MARQUEE_CURVE_SERVER", or: "server"),
            client: try environment.keyName("MARQUEE_CURVE_CLIENT", or: "client"))
        allowsInsecureAddresses = try environment.isGiven("MARQUEE_INSECURE", as: "yes")
        clientLimits = ClientLimits(
            requestsPerSecond: try environment.limit("MARQUEE_CLIENT_RATE", or: 20000),
            waitingRequests: try environment.limit("MARQUEE_CLIENT_QUEUE", or: 5000),
            connections: try environment.limit("MARQUEE_CLIENT_CONNECTIONS", or: 4096),
            connectionsPerKey: try environment.limit("MARQUEE_CLIENT_KEY_CONNECTIONS", or: 64),
            pendingConnections: try environment.limit("MARQUEE_CLIENT_PENDING", or: 256))
        let memory = try environment.integer(
            "MARQUEE_MEMORY", or: 1024, in: 64...1_048_576, of: "MiB", "a number of MiB")
        memoryBudget = MemoryBudget(setting: memory << 20)
        clientDailyMegabytes = try environment.limit("MARQUEE_CLIENT_DAILY_MB", or: 1024)
        requestDays = try environment.integer(
            "MARQUEE_REQUEST_DAYS", or: 30, in: 1...36_500, of: "일", "a number of days")
        diskReserveMegabytes = try environment.integer(
            "MARQUEE_DISK_RESERVE_MB", or: 256, in: 0...1_000_000, of: "MB", "a number of megabytes")
        allowsPrivateImages = try environment.isGiven("MARQUEE_PRIVATE_IMAGES", as: "allow")
        kobis = Upstream(
            url: try environment.url("MARQUEE_KOBIS_URL", or: Self.kobisURL),
            key: try environment.secret("MARQUEE_KOBIS_KEY"),
            dailyLimit: try environment.limit("MARQUEE_KOBIS_DAILY_LIMIT", or: 3000))
        kakao = Upstream(
            url: try environment.url("MARQUEE_KAKAO_URL", or: "https://dapi.kakao.com"),
            key: try environment.secret("MARQUEE_KAKAO_KEY"),
            dailyLimit: try environment.limit("MARQUEE_KAKAO_DAILY_LIMIT", or: 30000))
        openMarket = OpenMarket(
            url: try environment.optional("MARQUEE_OPENMARKET_URL", environment.url),
            identifier: try environment.secret("MARQUEE_OPENMARKET_IDENTIFIER"),
            secret: try environment.secret("MARQUEE_OPENMARKET_SECRET"))
        quotaReserve = try environment.integer("MARQUEE_QUOTA_RESERVE", or: 20, in: 0...100, of: "%", "a percentage")
        callsAtOnce = try environment.integer("MARQUEE_CALLS_AT_ONCE", or: 4, in: 1...500)
        schedule = try environment.optional("MARQUEE_SCHEDULE", environment.flag)
        ownHistoryDays = try environment.optional("MARQUEE_HISTORY_DAYS") { (variable, _) throws(ConfigurationError) in
            try environment.integer(variable, in: 0...400, of: "일", "a number of days")
        }
        dataFolder = try environment.absolutePath("MARQUEE_DATA", or: "./marquee-data")
        database = try environment.databaseAddress("MARQUEE_DATABASE")
        rules = try environment.optional("MARQUEE_RULES", environment.absolutePath)
        logLevel = try environment.choice("MARQUEE_LOG_LEVEL", or: "info")
        logFormat = try environment.choice("MARQUEE_LOG_FORMAT", or: "text")
        isTraceable = try environment.isGiven("MARQUEE_TRACEABLE", as: "yes")
        secretsInEnvironment = environment.secretsInEnvironment
        try environment.checkNames()
    }

    /// The addresses at which clients reach the commands of each worker.
    public var reachableCommands: [String] { commands.reachable(on: workers) }
    /// The addresses at which clients reach the events of each worker.
    public var reachableEvents: [String] { events.reachable(on: workers) }
    /// The addresses at which clients reach the alerts of each notifier.
    public var reachableAlerts: [String] { alerts.reachable(on: notifiers) }
    /// The addresses at which clients reach the commands of each notifier.
    public var reachableAlertCommands: [String] { alertCommands.reachable(on: notifiers) }

    /// Whether the worker fetches charts on schedule.
    public var runsSchedule: Bool {
        // Another URL than the real service is there for tests, which count the calls that they cause.
        schedule ?? (kobis.key != nil && kobis.url == Self.kobisURL)
    }

    /// The number of days before yesterday that the worker fetches for a new log, because alerts count days; 0 for none.
    public var historyDays: Int { ownHistoryDays ?? (runsSchedule ? Self.usualHistoryDays : 0) }

    /// Enough for most alerts: few movies lead, or stay away, for longer.
    private static let usualHistoryDays = 40
    private static let kobisURL = "https://www.kobis.or.kr/kobisopenapi/webservice/rest"

    /// All secrets that are set, for the logger to redact.
    public var secrets: [Secret] {
        [kobis.key, kakao.key, openMarket.identifier, openMarket.secret, boardPassword, database].compactMap(\.self)
    }

    /// Checks that a process can listen at its own addresses, and that other machines cannot connect to it without
    /// encryption, unless that is allowed.
    ///
    /// Only the addresses that the process binds are checked, not those that it connects to.
    ///
    /// - Throws: an error that names the first address that is wrong.
    public func checkAddresses(of role: ProcessRole) throws(ConfigurationError) {
        let sockets: [(String, ZeroMQAddress)] =
            switch role {
            case .worker: [("MARQUEE_REQUESTS", requests), ("MARQUEE_COMMANDS", commands), ("MARQUEE_EVENTS", events)]
            case .notifier: [("MARQUEE_ALERTS", alerts), ("MARQUEE_ALERT_COMMANDS", alertCommands)]
            case .board, .sandbox: []
            }
        let pages: [(String, HTTPAddress?)] =
            switch role {
            case .worker: [("MARQUEE_WORKER_HTTP", workerHTTP)]
            case .notifier: [("MARQUEE_NOTIFIER_HTTP", notifierHTTP)]
            case .board: [("MARQUEE_BOARD_HTTP", boardHTTP), ("MARQUEE_BOARD_METRICS_HTTP", boardMetricsHTTP)]
            case .sandbox: [("MARQUEE_SANDBOX_HTTP", sandboxHTTP)]
            }
        if let (variable, address) = sockets.first(where: { !$0.1.isBindable }) {
            throw ConfigurationError(
                variable,
                "이 컴퓨터에 없는 주소입니다(\(address)). IP 주소, 인터페이스 이름 또는 *를 지정하세요. 예: tcp://*:5550",
                "the \(role) listens at \(address), which is no address of this machine; "
                    + "expected an IP address, an interface or *, as in tcp://*:5550")
        }
        if let (variable, address) = pages.first(where: { $0.1?.isBindable == false }), let address {
            throw ConfigurationError(
                variable,
                "이 컴퓨터에 없는 주소입니다(\(address)). IP 주소 또는 *를 지정하세요. 예: 0.0.0.0:8550",
                "the \(role) listens at \(address), which is no address of this machine; "
                    + "expected an IP address or *, as in 0.0.0.0:8550")
        }
        guard !curve.isOn, !allowsInsecureAddresses else { return }
        if let (variable, address) = sockets.first(where: { !$0.1.isLocal }) {
            throw ConfigurationError(
                variable,
                "다른 컴퓨터에서 연결할 수 있는 주소이지만(\(address)) 암호화가 꺼져 있습니다. "
                    + "MARQUEE_CURVE=on을 설정하거나, 이 컴퓨터 안의 주소를 지정하거나, "
                    + "MARQUEE_INSECURE=yes로 허용하세요",
                "other machines can connect to \(address), and encryption is off; "
                    + "set MARQUEE_CURVE=on, use a local address, "
                    + "or allow it with MARQUEE_INSECURE=yes"
            )
        }
    }
}

extension Logger {
    /// Warns of each secret that is in the environment, where child processes and `docker inspect` show it.
    public func warnOfSecretsInEnvironment(_ configuration: Configuration) {
        for variable in configuration.secretsInEnvironment {
            warning(
                "a secret comes by the environment, which others may see; put it into a file and name that in …_FILE",
                [.variable: variable])
        }
    }
}

/// A variable of the environment with a wrong value, or with an unknown name.
///
/// The error is one line and never contains a secret.
public struct ConfigurationError: BilingualError, Hashable, Sendable {
    /// The name of the variable, as it was given.
    public let variable: String
    /// What is wrong, and what is expected.
    public let message: BilingualText

    /// The variable and the message.
    public var text: BilingualText {
        BilingualText("\(variable): \(message.text(in: .ko))", "\(variable): \(message)")
    }

    /// Makes the error. Control characters in an unknown name are escaped.
    init(_ variable: String, _ korean: String, _ english: String) {
        self.variable = variable.unicodeScalars.contains(where: \.isUnprintable) ? variable.quoted : variable
        message = BilingualText(korean, english)
    }
}

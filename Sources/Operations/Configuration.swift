/// What the environment says, checked; what it leaves out is as the contract has it.
///
/// A variable that is given but empty counts as not given, which is how Compose passes on what is not set.
public struct Configuration: Sendable {
    /// How to reach an upstream.
    public struct Upstream: Sendable {
        /// Where its paths begin, without a slash at the end.
        public var url: String
        /// Our key, if we have one.
        public var key: Secret?
        /// How many calls it allows on one Korean day.
        public var dailyLimit: Int
    }

    /// How to reach an Open Market.
    public struct OpenMarket: Sendable {
        /// Which of the market's generations is spoken there.
        public enum Generation: String, Sendable, CaseIterable {
            /// The third, of 2022.
            case v3
            /// The fourth.
            case v4
        }

        /// Where its paths begin, without a slash at the end; nil if none is used.
        public var url: String?
        /// The generation that is spoken there.
        public var generation: Generation
        /// Who we are there.
        public var identifier: Secret?
        /// The vendor's password.
        public var secret: Secret?
    }

    /// Where the worker takes requests.
    public var requests: ZeroMQAddress
    /// Where the worker takes commands.
    public var commands: ZeroMQAddress
    /// Where the worker publishes events.
    public var events: ZeroMQAddress
    /// Where the notifier publishes alerts.
    public var alerts: ZeroMQAddress
    /// Where the notifier takes commands.
    public var alertCommands: ZeroMQAddress
    /// The worker's health and metrics.
    public var workerHTTP: HTTPAddress
    /// The notifier's health and metrics.
    public var notifierHTTP: HTTPAddress
    /// The board.
    public var boardHTTP: HTTPAddress
    /// With what visitors of the board may write; nil if nobody may.
    public var boardPassword: Secret?
    /// How many requests a second all visitors of the board may send together, in the long run.
    public var boardRate: Int
    /// The sandbox.
    public var sandboxHTTP: HTTPAddress
    /// The Korean Film Council's open API.
    public var kobis: Upstream
    /// Kakao's image search.
    public var kakao: Upstream
    /// The percentage of each day's calls that only live requests may use.
    public var quotaReserve: Int
    /// How many calls to one upstream may be under way at once.
    public var callsAtOnce: Int
    /// Whether the worker fetches charts by itself, where that is said.
    public var schedule: Bool?
    /// The Open Market.
    public var openMarket: OpenMarket
    /// The folder of the databases.
    public var dataFolder: String
    /// The path of the rule file; nil if there is none.
    public var rules: String?
    /// The least level that is logged.
    public var logLevel: Logger.Level
    /// How a log line is written.
    public var logFormat: Logger.Format
    /// Whether posters may be fetched from private and loopback addresses.
    public var allowsPrivateImages: Bool
    /// Whether and how ZeroMQ's sockets are encrypted.
    public var curve: Curve
    /// Whether other machines may reach what is not encrypted.
    public var allowsInsecurity: Bool
    /// How many clients there may be, and how much one of them may ask for.
    public var clientLimits: ClientLimits

    /// Reads the environment and the files that it names for secrets; stops at the first thing that is wrong.
    public init(environment: [String: String]) throws(ConfigurationError) {
        let environment = try Environment(environment)
        requests = try environment.zeroMQAddress(.requests)
        commands = try environment.zeroMQAddress(.commands)
        events = try environment.zeroMQAddress(.events)
        alerts = try environment.zeroMQAddress(.alerts)
        alertCommands = try environment.zeroMQAddress(.alertCommands)
        workerHTTP = try environment.httpAddress(.workerHTTP)
        notifierHTTP = try environment.httpAddress(.notifierHTTP)
        boardHTTP = try environment.httpAddress(.boardHTTP)
        boardPassword = try environment.password(.boardPassword)
        boardRate = try environment.limit(.boardRate)
        sandboxHTTP = try environment.httpAddress(.sandboxHTTP)
        kobis = Upstream(
            url: try environment.url(.kobisURL), key: try environment.secret(.kobisKey),
            dailyLimit: try environment.limit(.kobisDailyLimit))
        kakao = Upstream(
            url: try environment.url(.kakaoURL), key: try environment.secret(.kakaoKey),
            dailyLimit: try environment.limit(.kakaoDailyLimit))
        quotaReserve = try environment.value(.quotaReserve, expected: "a percentage from 0 to 100") { text in
            Int(text).flatMap { (0...100).contains($0) ? $0 : nil }
        }
        callsAtOnce = try environment.value(.callsAtOnce, expected: "a whole number from 1 to 500") { text in
            Int(text).flatMap { (1...500).contains($0) ? $0 : nil }
        }
        schedule = try environment.isOn(.schedule)
        openMarket = OpenMarket(
            url: environment[.openMarketURL] == nil ? nil : try environment.url(.openMarketURL),
            generation: try environment.choice(.openMarketGeneration),
            identifier: try environment.secret(.openMarketIdentifier),
            secret: try environment.secret(.openMarketSecret))
        dataFolder = try environment.value(.data, expected: "a path") { $0 }
        rules = environment[.rules]
        logLevel = try environment.choice(.logLevel)
        logFormat = try environment.choice(.logFormat)
        allowsPrivateImages =
            environment[.privateImages] == nil
            ? false
            : try environment.value(.privateImages, expected: "allow, or nothing") { $0 == "allow" ? true : nil }
        self.curve = Curve(
            isOn: try environment.isOn(.curve) ?? false,
            folder: try environment.value(.curveKeys, expected: "a path") { $0 },
            server: try environment.keyName(.curveServer), client: try environment.keyName(.curveClient))
        allowsInsecurity =
            environment[.insecure] == nil
            ? false : try environment.value(.insecure, expected: "yes, or nothing") { $0 == "yes" ? true : nil }
        clientLimits = ClientLimits(
            requestsPerSecond: try environment.limit(.clientRate),
            waitingRequests: try environment.limit(.clientQueue),
            connections: try environment.limit(.clientConnections))
    }

    /// Whether the worker fetches charts by itself: unless that is said, where it has a key of the real service. Who puts
    /// another in its place wants to ask it alone.
    public var schedules: Bool {
        schedule ?? (kobis.key != nil && kobis.url == EnvironmentVariable.kobisURL.standard)
    }

    /// Every secret that was given, for the logger to redact.
    public var secrets: [Secret] {
        [kobis.key, kakao.key, openMarket.identifier, openMarket.secret, boardPassword].compactMap(\.self)
    }
}

/// All variables of the environment that marquee knows.
enum EnvironmentVariable: String, CaseIterable {
    case requests = "MARQUEE_REQUESTS"
    case commands = "MARQUEE_COMMANDS"
    case events = "MARQUEE_EVENTS"
    case alerts = "MARQUEE_ALERTS"
    case alertCommands = "MARQUEE_ALERT_COMMANDS"
    case workers = "MARQUEE_WORKERS"
    case notifiers = "MARQUEE_NOTIFIERS"
    case workerHTTP = "MARQUEE_WORKER_HTTP"
    case notifierHTTP = "MARQUEE_NOTIFIER_HTTP"
    case boardHTTP = "MARQUEE_BOARD_HTTP"
    case boardMetricsHTTP = "MARQUEE_BOARD_METRICS_HTTP"
    case publicURL = "MARQUEE_PUBLIC_URL"
    case boardProxies = "MARQUEE_BOARD_PROXIES"
    case boardClientRate = "MARQUEE_BOARD_CLIENT_RATE"
    case boardClientLive = "MARQUEE_BOARD_CLIENT_LIVE"
    case boardHosts = "MARQUEE_BOARD_HOSTS"
    case boardPassword = "MARQUEE_BOARD_PASSWORD"
    case boardRate = "MARQUEE_BOARD_RATE"
    case boardRequestsPerDay = "MARQUEE_BOARD_REQUESTS_A_DAY"
    case sandboxHTTP = "MARQUEE_SANDBOX_HTTP"
    case kobisURL = "MARQUEE_KOBIS_URL"
    case kobisKey = "MARQUEE_KOBIS_KEY"
    case kobisDailyLimit = "MARQUEE_KOBIS_DAILY_LIMIT"
    case kakaoURL = "MARQUEE_KAKAO_URL"
    case kakaoKey = "MARQUEE_KAKAO_KEY"
    case kakaoDailyLimit = "MARQUEE_KAKAO_DAILY_LIMIT"
    case openMarketURL = "MARQUEE_OPENMARKET_URL"
    case openMarketGeneration = "MARQUEE_OPENMARKET_GENERATION"
    case openMarketIdentifier = "MARQUEE_OPENMARKET_IDENTIFIER"
    case openMarketSecret = "MARQUEE_OPENMARKET_SECRET"
    case quotaReserve = "MARQUEE_QUOTA_RESERVE"
    case callsAtOnce = "MARQUEE_CALLS_AT_ONCE"
    case schedule = "MARQUEE_SCHEDULE"
    case historyDays = "MARQUEE_HISTORY_DAYS"
    case data = "MARQUEE_DATA"
    case database = "MARQUEE_DATABASE"
    case rules = "MARQUEE_RULES"
    case logLevel = "MARQUEE_LOG_LEVEL"
    case logFormat = "MARQUEE_LOG_FORMAT"
    case traceable = "MARQUEE_TRACEABLE"
    case privateImages = "MARQUEE_PRIVATE_IMAGES"
    case curve = "MARQUEE_CURVE"
    case curveKeys = "MARQUEE_CURVE_KEYS"
    case curveServer = "MARQUEE_CURVE_SERVER"
    case curveClient = "MARQUEE_CURVE_CLIENT"
    case insecure = "MARQUEE_INSECURE"
    case clientRate = "MARQUEE_CLIENT_RATE"
    case clientQueue = "MARQUEE_CLIENT_QUEUE"
    case clientConnections = "MARQUEE_CLIENT_CONNECTIONS"
    case clientKeyConnections = "MARQUEE_CLIENT_KEY_CONNECTIONS"
    case clientPending = "MARQUEE_CLIENT_PENDING"
    case memory = "MARQUEE_MEMORY"
    case clientDailyMegabytes = "MARQUEE_CLIENT_DAILY_MB"
    case requestDays = "MARQUEE_REQUEST_DAYS"
    case diskReserve = "MARQUEE_DISK_RESERVE_MB"

    /// The prefix of all names.
    static let prefix = "MARQUEE_"

    /// The value of a variable that is not set; nil if it has no default.
    var defaultValue: String? {
        switch self {
        case .requests: "tcp://127.0.0.1:5550"
        case .commands: "tcp://127.0.0.1:5551"
        case .events: "tcp://127.0.0.1:5552"
        case .alerts: "tcp://127.0.0.1:5553"
        case .alertCommands: "tcp://127.0.0.1:5554"
        case .workerHTTP: "127.0.0.1:8550"
        case .notifierHTTP: "127.0.0.1:8551"
        case .boardHTTP: "127.0.0.1:8080"
        case .sandboxHTTP: "127.0.0.1:8590"
        case .kobisURL: "https://www.kobis.or.kr/kobisopenapi/webservice/rest"
        case .kobisDailyLimit: "3000"
        case .kakaoURL: "https://dapi.kakao.com"
        case .kakaoDailyLimit: "30000"
        case .quotaReserve: "20"
        case .callsAtOnce: "4"
        case .data: "./marquee-data"
        case .logLevel: Logger.Level.info.rawValue
        case .logFormat: Logger.Format.text.rawValue
        case .openMarketGeneration: Configuration.OpenMarket.Generation.v3.rawValue
        case .curve: "off"
        case .curveKeys: "./marquee-keys"
        case .curveServer: "server"
        case .curveClient: "client"
        case .boardRate: "4"
        case .boardRequestsPerDay: "300"
        case .boardClientRate: "50"
        case .boardClientLive: "64"
        case .clientRate: "20000"
        case .clientQueue: "5000"
        case .clientConnections: "4096"
        case .clientKeyConnections: "64"
        case .clientPending: "256"
        case .memory: "1024"
        case .clientDailyMegabytes: "1024"
        case .requestDays: "30"
        case .diskReserve: "256"
        case .workers, .notifiers, .insecure, .database, .rules, .boardMetricsHTTP, .publicURL, .boardProxies,
            .boardHosts, .boardPassword, .kobisKey, .kakaoKey, .openMarketURL, .openMarketIdentifier,
            .openMarketSecret, .schedule, .historyDays, .privateImages, .traceable:
            nil
        }
    }

    /// For a secret, the name of the variable that holds the path of a file with the secret.
    var fileVariableName: String? {
        switch self {
        case .boardPassword, .kobisKey, .kakaoKey, .openMarketIdentifier, .openMarketSecret, .database:
            rawValue + "_FILE"
        default: nil
        }
    }

    /// All names that may be set.
    static let names = allCases.flatMap { [$0.rawValue, $0.fileVariableName].compactMap(\.self) }
}

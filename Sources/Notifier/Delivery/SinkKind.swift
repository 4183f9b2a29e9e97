/// What a sink is; the raw values are the words for it in a rule file.
enum SinkKind: String, CaseIterable {
    case webhook
    case slack
    case discord
    case telegram
    case ntfy
    case apprise
    case mail
    case file
    case standardOutput

    /// The keys that it takes besides those that all sinks do.
    var keys: [String] {
        switch self {
        case .webhook: ["url", "urlFile", "secret", "secretFile"]
        case .slack, .discord: ["url", "urlFile"]
        case .telegram: ["token", "tokenFile", "chat", "url"]
        case .ntfy: ["url", "topic", "topicFile", "token", "tokenFile"]
        case .apprise: ["url", "urlFile", "urls", "urlsFile", "tag"]
        case .mail: ["host", "port", "security", "authorities", "user", "password", "passwordFile", "from", "to"]
        case .file: ["path"]
        case .standardOutput: []
        }
    }
}

public import FoundationEssentials
import Networking
public import Operations
import Text

/// A sink in a rule file.
public struct SinkConfiguration: Sendable {
    /// The kind of sink, with its address and credentials.
    enum Destination: Sendable {
        case webhook(url: String, key: [UInt8])
        case slack(url: String)
        case discord(url: String)
        case telegram(url: String, token: String, chat: String)
        case ntfy(url: String, topic: String, token: String?)
        case apprise(url: String, urls: String?, tag: String?)
        case mail(MailRequest)
        case file(path: String)
        case standardOutput
    }

    /// The sink's name, by which commands, metrics and the outbox know it.
    public let name: String
    /// The secrets, which logs must not show.
    public let secrets: [Secret]
    /// Whether the sink writes to the standard output of the notifier.
    public var writesToStandardOutput: Bool {
        if case .standardOutput = destination { true } else { false }
    }

    let destination: Destination
    let language: Language
    let rules: Set<String>?
    let severity: Alert.Severity
    let cooldown: Duration?
    let policy: DeliveryPolicy
    var backoff: Backoff

    /// Makes the sink.
    ///
    /// - Parameters:
    ///   - mailClient: is required for a mail sink.
    ///   - board: the board's public URL, for links.
    func makeSink(_ client: HTTPClient, _ mailClient: MailClient?, board: String?) -> ConfiguredSink {
        let target: any Sink =
            switch destination {
            case .webhook(let url, let key):
                WebhookSink(client: client, url: url, key: key, language: language, board: board)
            case .slack(let url): SlackSink(client: client, url: url, language: language, board: board)
            case .discord(let url): DiscordSink(client: client, url: url, language: language, board: board)
            case .telegram(let url, let token, let chat):
                TelegramSink(client: client, url: url, token: token, chat: chat, language: language, board: board)
            case .ntfy(let url, let topic, let token):
                NtfySink(client: client, url: url, topic: topic, token: token, language: language, board: board)
            case .apprise(let url, let urls, let tag):
                AppriseSink(client: client, url: url, urls: urls, tag: tag, language: language, board: board)
            case .mail(let envelope):
                MailSink(client: mailClient ?? MailClient(), envelope: envelope, language: language, board: board)
            case .file(let path): FileSink(path: path)
            case .standardOutput: StandardOutputSink(language: language, board: board)
            }
        var sink = ConfiguredSink(name, target)
        sink.language = language
        sink.rules = rules
        sink.severity = severity
        sink.cooldown = cooldown
        sink.policy = policy
        sink.backoff = backoff
        return sink
    }
}

/// A sink with its name and its settings.
struct ConfiguredSink: Sendable {
    /// The sink's name, by which commands, metrics and the outbox know it.
    let name: String
    /// Sends the messages.
    let target: any Sink
    /// The language of the messages.
    var language = Language.ko
    /// The rules whose alerts the sink gets; nil for all.
    var rules: Set<String>?
    /// The lowest severity that the sink gets.
    var severity = Alert.Severity.info
    /// The time after an alert in which further alerts of the same rule and subject are suppressed.
    var cooldown: Duration?
    /// When messages are sent.
    var policy: DeliveryPolicy
    /// When failed messages are sent again.
    var backoff = Backoff()

    /// Makes a sink that gets every alert at once.
    init(_ name: String, _ target: any Sink) {
        self.name = name
        self.target = target
        policy = DeliveryPolicy(sink: name)
    }

    /// Whether the sink gets an alert of this rule and severity.
    func accepts(_ alert: OutboundAlert) -> Bool {
        alert.severity.weight >= severity.weight && rules?.contains(alert.rule) ?? true
    }
}

/// A kind of sink; the raw values are the kinds in a rule file.
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

    /// The keys of this kind, besides those of all sinks.
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

extension SinkConfiguration {
    /// Sends a test message to the sink, past the outbox, and returns what the sink answered.
    ///
    /// - Parameters:
    ///   - sample: the alert to send; nil for a sentence that says that the sink works.
    ///   - board: the board's public URL, for the message's link and poster.
    public func test(
        _ sample: SampleAlert? = nil, at now: Date, board: String? = nil
    ) async throws -> (isDelivered: Bool, response: String) {
        var retry = RetryPolicy.never
        retry.attemptTimeout = .seconds(30)
        let client = HTTPClient(retry: retry)
        let mailClient = MailClient()
        let sink = makeSink(client, mailClient, board: board).target
        let message = try sample?.message(to: name, at: now) ?? SinkMessage(testOf: name, at: now)
        let response = await sink.send(message, at: now).sanitized(removing: sink.secrets)
        await client.shutdown()
        await mailClient.shutdown()
        return (response.outcome == .delivered, response.text)
    }
}

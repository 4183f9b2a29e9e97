import FoundationEssentials
import Networking
public import Operations

/// A sink as a rule file has it.
public struct SinkConfiguration: Sendable {
    /// Where letters go, and what it takes to get them there.
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
    /// What must not be shown of it.
    public let secrets: [Secret]
    let destination: Destination
    let language: Language
    let rules: Set<String>?
    let severity: Alert.Severity
    let cooldown: Duration?
    let timetable: DeliveryPolicy
    var backoff: Backoff

    /// The sink, ready to be written to; a sink of mail needs what hands mail over.
    func recipient(_ client: HTTPClient, _ mail: MailClient?) -> ConfiguredSink {
        let sink: any Sink =
            switch destination {
            case .webhook(let url, let key): WebhookSink(client: client, url: url, key: key)
            case .slack(let url): SlackSink(client: client, url: url, language: language)
            case .discord(let url): DiscordSink(client: client, url: url, language: language)
            case .telegram(let url, let token, let chat):
                TelegramSink(client: client, url: url, token: token, chat: chat, language: language)
            case .ntfy(let url, let topic, let token):
                NtfySink(client: client, url: url, topic: topic, token: token, language: language)
            case .apprise(let url, let urls, let tag):
                AppriseSink(client: client, url: url, urls: urls, tag: tag, language: language)
            case .mail(let envelope): MailSink(client: mail ?? MailClient(), envelope: envelope, language: language)
            case .file(let path): FileSink(path: path)
            case .standardOutput: StandardOutputSink(language: language)
            }
        var recipient = ConfiguredSink(name, sink)
        recipient.language = language
        recipient.rules = rules
        recipient.severity = severity
        recipient.cooldown = cooldown
        recipient.timetable = timetable
        recipient.backoff = backoff
        return recipient
    }
}

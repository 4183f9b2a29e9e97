public import Contract
import FoundationEssentials
import Networking
public import Text

/// What commands print of a sink; nothing of it is secret.
extension SinkConfiguration {
    /// The kind of sink, as in a rule file.
    public var kind: String {
        let kind: SinkKind =
            switch destination {
            case .webhook: .webhook
            case .slack: .slack
            case .discord: .discord
            case .telegram: .telegram
            case .ntfy: .ntfy
            case .apprise: .apprise
            case .mail: .mail
            case .file: .file
            case .standardOutput: .standardOutput
            }
        return kind.rawValue
    }

    /// Returns where messages go, without the parts of URLs that may have a token.
    public func address(in language: Language) -> String {
        switch destination {
        case .webhook(let url, _), .slack(let url), .discord(let url), .ntfy(let url, _, _), .apprise(let url, _, _):
            Self.server(of: url)
        case .telegram(let url, _, let chat): "\(Self.server(of: url)), \(language == .ko ? "대화방" : "chat") \(chat)"
        case .mail(let mail):
            mail.recipients.joined(separator: ", ")
                + (language == .ko ? "(\(mail.host):\(mail.port) 경유)" : " by \(mail.host):\(mail.port)")
        case .file(let path): path
        case .standardOutput: "-"
        }
    }

    /// The language of messages, as in a rule file.
    public var languageCode: String { language.rawValue }

    /// Returns the lowest severity that the sink gets; in English as in a rule file.
    public func lowestSeverity(in language: Language) -> String {
        guard language == .ko else { return severity.rawValue }
        return switch severity {
        case .info: "정보"
        case .notable: "주요"
        case .major: "중대"
        }
    }

    /// Returns when messages are sent, in English in the words of a rule file; nil if they are sent at once.
    public func schedule(in language: Language) -> String? {
        func name(_ ko: String, _ en: String) -> String { language == .ko ? ko : en }
        let parts = [
            policy.digest.map { "\(name("모아 보내기", "digest")) \($0)" },
            policy.quietHours.map { "\(name("방해 금지", "quiet")) \($0.start)-\($0.end)" },
            policy.rate.map { "\(name("발송 한도", "rate")) \($0.count)/\($0.span.spanText)" },
            cooldown.map { "\(name("재알림 간격", "cooldown")) \($0.spanText)" },
        ]
        let text = parts.compactMap(\.self).joined(separator: ", ")
        return text.isEmpty ? nil : text
    }

    /// Returns those of the rules in force whose alerts the sink gets.
    public func rules(among inForce: AlertRules) -> [AlertRule] {
        inForce.names.filter { rules?.contains($0.rawValue) ?? true }
    }

    /// Returns the rules that the sink names although they are not in force.
    public func rules(notAmong inForce: AlertRules) -> [AlertRule] {
        AlertRule.allCases.filter { rules?.contains($0.rawValue) == true && !inForce.names.contains($0) }
    }

    /// Returns scheme, host and port of a URL: what follows may be a token.
    private static func server(of url: String) -> String {
        url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3).joined(separator: "/")
    }
}

extension AlertRules {
    /// The names of the rules that are in force without a rule file.
    public static var standardNames: [AlertRule] { AlertRules().names }
}

extension Duration {
    /// The span as rule files write it, such as `12h`.
    fileprivate var spanText: String {
        let seconds = Int(components.seconds)
        for (unit, scale) in [("d", 86_400), ("h", 3_600), ("m", 60)] where seconds % scale == 0 {
            return "\(seconds / scale)\(unit)"
        }
        return "\(seconds)s"
    }
}

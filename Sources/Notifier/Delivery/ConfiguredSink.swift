import BoxOffice
public import Contract
public import FoundationEssentials
public import ServiceRuntime
public import Text
import YAML

/// A sink in a rule file: where its messages go, and which it gets when.
public struct ConfiguredSink: Sendable {
    /// The kinds of sinks: a new one is a type in `Sinks/`, and a line here.
    static let kinds: [any Sink.Type] = [
        WebhookSink.self,
        SlackSink.self,
        DiscordSink.self,
        TelegramSink.self,
        NtfySink.self,
        AppriseSink.self,
        MailSink.self,
        FileSink.self,
        StandardOutputSink.self,
    ]

    /// The sink's name, by which commands, metrics and the outbox know it.
    public let name: String
    /// The secrets, which logs and responses must not show.
    public internal(set) var secrets: [Secret] = []
    let target: any Sink
    var language = Language.ko
    /// The rules whose alerts the sink gets; nil for all.
    var rules: Set<AlertRule>?
    var severity = Alert.Severity.info
    /// The time after an alert in which further alerts of the same rule and subject are suppressed.
    var cooldown: Duration?
    var policy: DeliveryPolicy
    var backoff = Backoff()

    init(_ name: String, _ target: any Sink) {
        self.name = name
        self.target = target
        policy = DeliveryPolicy(sink: name)
    }

    func accepts(_ alert: OutboundAlert) -> Bool {
        alert.data.severity.weight >= severity.weight && rules?.contains(alert.data.rule) ?? true
    }

    // MARK: Rule file

    private static let commonKeys = [
        "kind", "language", "rules", "severity", "cooldown", "quietHours", "digest", "rate", "attempts",
    ]

    /// Reads the `sinks:` of a rule file, and the files with secrets that it names. No diagnostic shows a secret.
    static func read(
        _ section: Node, of kinds: [any Sink.Type] = kinds, _ diagnostics: inout ConfigurationDiagnosticsError
    ) -> [ConfiguredSink] {
        let entries = diagnostics.collect { () throws(ConfigurationDiagnostic) in try section.entries() } ?? []
        return entries.compactMap { entry in
            do throws(ConfigurationDiagnostic) {
                return try ConfiguredSink(entry, of: kinds, &diagnostics)
            } catch {
                diagnostics.add(error)
                return nil
            }
        }
    }

    private init?(
        _ entry: Node.Entry, of kinds: [any Sink.Type], _ diagnostics: inout ConfigurationDiagnosticsError
    ) throws(ConfigurationDiagnostic) {
        let isName = entry.key.isWord(upTo: 40) && entry.key.first != "-"
        if !isName {
            diagnostics.add(
                ConfigurationDiagnostic(
                    at: entry.position, path: entry.value.path,
                    "알림 채널 이름이 올바르지 않습니다. 영문자, 숫자, 하이픈(-), 밑줄(_)로 1~40자를 쓰세요",
                    "a sink's name has 1 to 40 letters, digits, hyphens and _"))
        }
        // The kind comes first: it determines the keys. Without it, all that follows may be meant.
        let word = try entry.value.entries().first { $0.key == "kind" }?.value
        if word == nil { diagnostics.add(entry.value.diagnostic(missing: "kind")) }
        let kind = word.flatMap { word in
            diagnostics.collect { () throws(ConfigurationDiagnostic) in try word.choice(of: kinds, by: { $0.kind }) }
        }
        let keys = kind.map { $0.keys } ?? kinds.flatMap { $0.keys }
        var fields = SinkFields(try entry.value.fields(Self.commonKeys + keys, &diagnostics), of: entry.value)
        let target = kind.flatMap { $0.init(&fields) }
        name = entry.key
        policy = DeliveryPolicy(sink: entry.key)
        language = fields.choice("language") ?? .ko
        severity = fields.choice("severity") ?? .info
        rules = fields.values("rules") { rule throws(ConfigurationDiagnostic) in
            try rule.choice(of: AlertRule.self)
        }.map { Set($0) }
        cooldown = fields.value("cooldown", expected: "12h(12시간)나 3d(3일) 같은 기간을", "a span such as 12h or 3d") {
            Duration(span: $0)
        }
        policy.quietHours = fields.value(
            "quietHours", expected: "23:00-08:00 같은 시간대를", "hours such as 23:00-08:00"
        ) { QuietHours($0) }
        policy.digest = fields.value("digest", expected: "09:00 같은 시각을", "a time such as 09:00") { TimeOfDay($0) }
        policy.rate = fields.value(
            "rate", expected: "20/1m(1분에 20건) 같은 발송 한도를", "a rate such as 20/1m"
        ) { RateLimit($0) }
        let attempts = fields.value("attempts") { node throws(ConfigurationDiagnostic) in
            try node.integer(in: 1...1_000)
        }
        backoff.attempts = attempts ?? backoff.attempts
        secrets = fields.secrets
        diagnostics.add(fields.diagnostics)
        guard let target, isName else { return nil }
        self.target = target
    }

    // MARK: Sending

    /// Sends a message once, in the sink's language; no secret is in the response.
    func send(
        _ message: SinkMessage, at now: Date, board: String?, by clients: SinkClients
    ) async -> SinkResponse {
        var message = message
        message.language = language
        message.board = board
        return await target.send(message, at: now, by: clients).sanitized(removing: secrets.map(\.value))
    }

    /// Sends a sample, or a sentence that says that the sink works, past the outbox; returns what the sink answered.
    public func test(
        _ sample: SampleAlert? = nil, at now: Date, board: String? = nil
    ) async -> (isDelivered: Bool, response: String) {
        let text = Alert.Text(
            ko: "marquee 테스트 알림: \(name)에 정상적으로 연결되었습니다", en: "A test of marquee: alerts arrive at \(name)")
        let plain = Alert(
            rule: "test", date: KoreanDate(at: now), movieCode: nil, title: nil, rank: nil, previousRank: nil,
            change: nil, severity: .info, values: [:], text: text, evidence: [])
        let message = sample?.message(to: name, at: now) ?? SinkMessage(testing: plain, to: name, at: now)
        let clients = SinkClients()
        let response = await send(message, at: now, board: board, by: clients)
        await clients.shutdown()
        return (response.outcome == .delivered, response.text)
    }

    // MARK: Summary

    /// The kind of sink, as in a rule file.
    public var kind: String { type(of: target).kind }

    /// Whether the sink writes to the standard output of the notifier.
    public var writesToStandardOutput: Bool { target is StandardOutputSink }

    /// Returns where messages go, without the parts of URLs that may have a token.
    public func address(in language: Language) -> String { target.address(in: language) }

    /// The language of messages, as in a rule file.
    public var languageCode: String { language.rawValue }

    /// Returns the lowest severity that the sink gets; in English as in a rule file.
    public func lowestSeverity(in language: Language) -> String {
        language(["정보", "주요", "중대"][severity.weight], severity.rawValue)
    }

    /// Returns when messages are sent, in English in the words of a rule file; nil if they are sent at once.
    public func schedule(in language: Language) -> String? {
        let parts = [
            policy.digest.map { "\(language("모아 보내기", "digest")) \($0)" },
            policy.quietHours.map { "\(language("방해 금지", "quiet")) \($0.start)-\($0.end)" },
            policy.rate.map { "\(language("발송 한도", "rate")) \($0.count)/\($0.span.spanText)" },
            cooldown.map { "\(language("재알림 간격", "cooldown")) \($0.spanText)" },
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// Returns those of the rules in force whose alerts the sink gets.
    public func rules(among inForce: AlertRules) -> [AlertRule] {
        inForce.names.filter { rules?.contains($0) ?? true }
    }
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

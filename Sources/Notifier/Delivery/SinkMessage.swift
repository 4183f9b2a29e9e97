import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import JSONCoding
import OpenMarket

/// A message to a sink: one alert, or all alerts of a digest.
///
/// Tables, metrics, logs and the command `retry` call it a letter.
struct SinkMessage: Sendable {
    /// The key, the same in each attempt: the alert's id, or `digest.SINK.DAY`.
    let key: String
    /// The alerts, in their order; at least one.
    let alerts: [OutboundAlert]

    /// Returns the message as one line.
    func title(in language: Language) -> String {
        guard alerts.count > 1 else { return alerts.first?.text[language] ?? "" }
        return language == .ko ? "박스오피스 소식 \(alerts.count)건" : "Box office: \(alerts.count) alerts"
    }

    /// Returns what the message is about: the alert's rule in words, or the number of alerts.
    func heading(in language: Language) -> String {
        guard alerts.count == 1, let rule = AlertRule(rawValue: alerts[0].rule) else { return title(in: language) }
        guard alerts[0].retracts != nil else { return rule.name(in: language) }
        return language == .ko ? "취소: \(rule.name(in: .ko))" : "Taken back: \(rule.name(in: .en))"
    }

    /// Returns the address of the page that the message is about, or of the first page for a digest.
    ///
    /// - Parameter board: the board's public URL, without a trailing slash; nil if there is none.
    func link(on board: String?) -> String? {
        board.map { "\($0)/\((alerts.count == 1 ? alerts[0].page : nil) ?? "")" }
    }

    /// Returns the message as text: the alert's sentence, or a line for each alert, as many as fit.
    ///
    /// - Parameters:
    ///   - limit: the largest size of the text.
    ///   - link: the last line, written in the sink's markup.
    ///   - escape: escapes the sink's markup, each scalar alone; the result is within the limit.
    ///   - size: measures a text in the unit of `limit`; UTF-16 code units unless given.
    func text(
        in language: Language, limit: Int, link: String? = nil, escape: (String) -> String = { $0 },
        size: (String) -> Int = { $0.utf16.count }
    ) -> String {
        guard let link else { return sentences(in: language, limit: limit, escape, size) }
        return sentences(in: language, limit: limit - size("\n" + link), escape, size) + "\n" + link
    }

    private func sentences(
        in language: Language, limit: Int, _ escape: (String) -> String, _ size: (String) -> Int
    ) -> String {
        guard alerts.count > 1 else { return Self.cut(title(in: language), to: limit, escape, size) }
        var text = escape(title(in: language))
        for (index, alert) in alerts.enumerated() {
            let left = alerts.count - index
            let rest = language == .ko ? "\n외 \(left)건" : "\nand \(left) more"
            let line = escape("\n· \(alert.text[language])")
            guard size(text) + size(line) + size(rest) <= limit else { return text + rest }
            text += line
        }
        return text
    }

    /// Returns the text escaped, and cut behind as many whole characters as fit.
    private static func cut(
        _ text: String, to limit: Int, _ escape: (String) -> String, _ size: (String) -> Int
    ) -> String {
        let whole = escape(text)
        guard size(whole) > limit else { return whole }
        var (cut, room) = ("", limit - size("…"))
        for character in text {
            let piece = escape(String(character))
            room -= size(piece)
            guard room >= 0 else { break }
            cut += piece
        }
        return cut + "…"
    }
}

extension Alert.Text {
    /// The sentence in a language.
    subscript(language: Language) -> String {
        switch language {
        case .ko: ko
        case .en: en
        }
    }
}

extension SinkMessage {
    /// Makes a test message; each second gives another key.
    init(testOf sink: String, at now: Date) throws(EncodingError) {
        let text = Alert.Text(
            ko: "마키 시험 알림: \(sink) 연결이 잘 됩니다", en: "A test of marquee: alerts arrive at \(sink)")
        key = "test.\(sink).\(Int(now.timeIntervalSince1970))"
        let event = TestEvent(id: key, data: ["text": ["ko": text.ko, "en": text.en]])
        alerts = [
            OutboundAlert(
                id: key, body: try JSON.encode(event), rule: "test", subject: "test", severity: .info, text: text,
                retracts: nil)
        ]
    }

    /// An event that is not in the log.
    private struct TestEvent: Encodable {
        let specversion = "1.0"
        let id: String
        let source = "/marquee/notifier"
        let type = "marquee.test.v1"
        let datacontenttype = "application/json"
        let data: [String: [String: String]]
    }
}

/// An alert to deliver: the event as it was published, and the fields that delivery needs.
struct OutboundAlert: Sendable {
    /// The event's id.
    let id: String
    /// The event as it was published.
    let body: [UInt8]
    /// The rule that fired.
    let rule: String
    /// The rule and the subject, for cooldowns.
    let subject: String
    /// The severity.
    let severity: Alert.Severity
    /// The alert as a sentence.
    let text: Alert.Text
    /// The id of the alert that this one retracts.
    let retracts: String?
    /// The path of the board's page about the movie or product; nil if there is none.
    var page: String?
}

extension OutboundAlert {
    /// Makes it of an alert that enters the log as `event`.
    init(_ alert: Alert, id: String, event: LoggedEvent) {
        self.init(
            id: id, event: event,
            Fields(
                rule: alert.rule.rawValue, movieCode: alert.movieCode?.description, product: alert.product?.number,
                severity: alert.severity, text: alert.text, retracts: alert.retracts))
    }

    /// Reads an event of the alert log.
    init(_ event: LoggedEvent) throws(DecodingError) {
        self.init(
            id: try Event(topic: event.topic, body: event.body).id, event: event, try event.data(as: Fields.self))
    }

    private init(id: String, event: LoggedEvent, _ fields: Fields) {
        self.id = id
        body = event.body
        rule = fields.rule
        let code = fields.movieCode ?? fields.product.map { "\($0)" }
        subject = code.map { "\(fields.rule)/\($0)" } ?? fields.rule
        severity = fields.severity
        text = fields.text
        retracts = fields.retracts
        // Only a checked code becomes a part of a URL.
        page = fields.movieCode.flatMap { MovieCode($0) }.map { "movie/\($0)" } ?? fields.product.map { "shop/\($0)" }
    }

    /// The fields of the event's data that delivery needs.
    private struct Fields: Decodable {
        let rule: String
        let movieCode: String?
        let product: Int?
        let severity: Alert.Severity
        let text: Alert.Text
        let retracts: String?
    }
}

extension Alert.Severity {
    /// The severity as a number, to compare.
    var weight: Int {
        switch self {
        case .info: 0
        case .notable: 1
        case .major: 2
        }
    }
}

import Contract
import FoundationEssentials
import JSONCoding
import Text

/// A message to a sink: one alert, or all alerts of a digest.
///
/// Tables, metrics, logs and the command `retry` call it a letter.
struct SinkMessage: Sendable {
    /// The key, the same in each attempt: the alert's id, or `digest.SINK.DAY`.
    let key: String
    /// The alerts, in their order; at least one.
    var alerts: [OutboundAlert]
    /// The recipients that have it from an earlier attempt, if the sink has several.
    var acceptedBy: [String] = []

    /// The highest severity of the alerts.
    var severity: Alert.Severity {
        alerts.map(\.severity).max { $0.weight < $1.weight } ?? .info
    }

    /// Returns the message as one line.
    func title(in language: Language) -> String {
        guard alerts.count > 1 else { return alerts.first?.sentence(in: language) ?? "" }
        return language == .ko ? "박스오피스 알림 \(alerts.count)건" : "Box office: \(alerts.count) alerts"
    }

    /// Returns what the message is about: the alert's rule in words, or the number of alerts.
    func heading(in language: Language) -> String {
        alerts.count == 1 ? alerts[0].heading(in: language) : title(in: language)
    }

    /// Returns the address of the page that the message is about, or of the first page for a digest.
    ///
    /// - Parameter board: the board's public URL, without a trailing slash; nil if there is none.
    func link(on board: String?) -> String? {
        alerts.count == 1 ? alerts[0].link(on: board) : board.map { "\($0)/" }
    }

    /// Returns the address of the message's image: the poster of its movie; in a digest, of the alert that matters most
    /// among those with a poster. Nil if no poster is known, or there is no board.
    func image(on board: String?, _ size: PosterSize = .large) -> String? {
        illustrated?.image(on: board, size)
    }

    /// Returns what the image shows: the movie's title.
    func imageTitle(in language: Language) -> String {
        let title = illustrated?.movieTitle?.clean.cut(to: 200) ?? ""
        return title.isEmpty ? heading(in: language) : title
    }

    private var illustrated: OutboundAlert? {
        alerts.enumerated().filter { $0.element.poster != nil }
            .max { ($0.element.severity.weight, -$0.offset) < ($1.element.severity.weight, -$1.offset) }?.element
    }

    /// The message without its images, for a service that refuses them.
    var withoutImages: SinkMessage {
        var message = self
        for index in alerts.indices { message.alerts[index].poster = nil }
        return message
    }
}

// MARK: - Text

extension SinkMessage {
    /// The longest sentence in a digest, in the unit of the text's limit: one title cannot take the place of all others.
    private static let sentenceLimit = 500

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
        let title = escape(title(in: language))
        guard alerts.count > 1 else {
            return self.title(in: language).cut(to: limit, escape: escape, size: size)
        }
        let lines = lines(in: language, limit: limit - size(title), size: size) { alert in
            "· " + alert.sentence(in: language).cut(to: Self.sentenceLimit, escape: escape, size: size)
        }
        return ([title] + lines).joined(separator: "\n")
    }

    /// Returns the lines of a digest, as many as fit; the last one says how many alerts are left out.
    ///
    /// - Parameters:
    ///   - limit: the largest size of all lines, each with the line feed before it.
    ///   - count: the largest number of alerts.
    ///   - line: writes an alert, with its markup.
    func lines(
        in language: Language, limit: Int, count: Int = .max, size: (String) -> Int = { $0.utf16.count },
        _ line: (OutboundAlert) -> String
    ) -> [String] {
        var lines: [String] = []
        var room = limit
        for (index, alert) in alerts.enumerated() {
            let left = alerts.count - index
            let rest = language == .ko ? "외 \(left)건" : "and \(left) more"
            let line = line(alert)
            let needed = size("\n" + line)
            // Room for the last line stays.
            guard index < count, needed + (left > 1 ? size("\n" + rest) : 0) <= room else { return lines + [rest] }
            lines.append(line)
            room -= needed
        }
        return lines
    }
}

extension String {
    /// Returns the text escaped, and cut behind as many whole characters as fit.
    ///
    /// - Parameters:
    ///   - escape: escapes a text, each scalar alone.
    ///   - size: measures a text in the unit of `limit`; UTF-16 code units unless given.
    func cut(
        to limit: Int, escape: (String) -> String = { $0 }, size: (String) -> Int = { $0.utf16.count }
    ) -> String {
        let whole = escape(self)
        guard size(whole) > limit else { return whole }
        var (cut, room) = ("", limit - size("…"))
        for character in self {
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

extension SinkMessage {
    /// Makes a test message; each second gives another key.
    init(testOf sink: String, at now: Date) throws(EncodingError) {
        let text = Alert.Text(
            ko: "marquee 테스트 알림: \(sink)에 정상적으로 연결되었습니다", en: "A test of marquee: alerts arrive at \(sink)")
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

/// A size of the board's posters; the raw value is the word in its URLs.
enum PosterSize: String {
    /// At most 144 × 216 pixels.
    case small
    /// At most 480 × 720 pixels.
    case large
}

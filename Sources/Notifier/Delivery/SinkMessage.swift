import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import JSONCoding
import OpenMarket
import Text

/// A message to a sink: one alert, or all alerts of a digest, in the sink's language.
struct SinkMessage: Sendable {
    /// The key, the same in each attempt: the alert's id, or `digest.SINK.DAY`.
    let key: String
    /// The alerts, in their order; at least one.
    var alerts: [OutboundAlert]
    /// The recipients that have it from an earlier attempt, if the sink has several.
    var acceptedBy: [String] = []
    var language = Language.ko
    /// The board's public URL without a trailing slash, for links and posters; nil if there is none.
    var board: String?

    var severity: Alert.Severity {
        alerts.map(\.data.severity).max { $0.weight < $1.weight } ?? .info
    }

    var title: String {
        guard alerts.count > 1 else { return alerts.first?.sentence(in: language) ?? "" }
        return language("박스오피스 알림 \(alerts.count)건", "Box office: \(alerts.count) alerts")
    }

    /// What the message is about: the alert's rule in words, or the number of alerts.
    var heading: String {
        alerts.count == 1 ? alerts[0].heading(in: language) : title
    }

    /// The address of the page that the message is about, or of the first page for a digest; nil if there is no board.
    var link: String? {
        alerts.count == 1 ? alerts[0].link(on: board) : board.map { "\($0)/" }
    }

    /// The address of the first alert's poster that is known; nil without one, or without a board.
    var image: String? {
        alerts.lazy.compactMap { $0.image(on: board) }.first
    }

    // MARK: Text

    /// Returns the message as text within `limit`, which `size` measures: the alert's sentence, or a line for each alert,
    /// as many as fit; then `link`, which is written in the sink's markup. `escape` escapes the markup, each scalar alone.
    func text(
        limit: Int, link: String? = nil, escape: (String) -> String = { $0 },
        size: (String) -> Int = { $0.utf16.count }
    ) -> String {
        let first = alerts.count > 1 ? escape(title) + "\n" : ""
        let last = link.map { "\n" + $0 } ?? ""
        return first + body(limit: limit - size(first) - size(last), escape: escape, size: size) + last
    }

    /// Returns the alert's sentence, or what `line` writes for each alert of a digest with its escaped sentence, as many
    /// as fit; the last line says how many alerts are left out.
    func body(
        limit: Int, escape: (String) -> String,
        line: (_ alert: OutboundAlert, _ sentence: String) -> String = { "· \($1)" },
        size: (String) -> Int = { $0.utf16.count }
    ) -> String {
        guard alerts.count > 1 else { return title.cut(to: limit, escape: escape, size: size) }
        var lines: [String] = []
        var room = limit
        for (index, alert) in alerts.enumerated() {
            let left = alerts.count - index
            let rest = language("외 \(left)건", "and \(left) more")
            // One title cannot take the place of all others.
            let line = line(alert, alert.sentence(in: language).cut(to: 500, escape: escape, size: size))
            room -= size(line + "\n")
            // Room for the last line stays.
            guard room >= (left > 1 ? size(rest + "\n") : 0) else {
                lines.append(rest)
                break
            }
            lines.append(line)
        }
        return lines.joined(separator: "\n")
    }
}

extension SinkMessage {
    /// Makes a test message of an alert that is not in the log; each second gives another key.
    init(testing alert: Alert, heading: RuleHeading? = nil, poster: String? = nil, to sink: String, at now: Date) {
        key = "test.\(sink).\(Int(now.timeIntervalSince1970))"
        var event = JSONWriter()
        event.member("data", alert, isFirst: true)
        event.member("datacontenttype", "application/json")
        event.member("id", key)
        event.member("source", "/marquee/notifier")
        event.member("specversion", "1.0")
        event.member("type", "marquee.test.v1")
        event.endObject()
        alerts = [OutboundAlert(id: key, body: event.bytes, data: alert, poster: poster, sampleHeading: heading)]
    }
}

extension String {
    /// Returns the text escaped, each scalar alone, and cut behind as many whole characters as fit.
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
    subscript(language: Language) -> String { language(ko, en) }
}

extension Alert.Severity {
    /// The severity as a number, to compare: 0 to 2.
    var weight: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

// MARK: - Alert

struct OutboundAlert: Sendable {
    let id: String
    /// The event as it was published.
    let body: [UInt8]
    let data: Alert
    /// The movie's poster, as `CODE/VERSION` in the board's URLs; nil if none is known.
    var poster: String?
    /// The rule's heading if the alert is made up, to try a sink. Nil for a real one.
    var sampleHeading: RuleHeading?
}

extension OutboundAlert {
    init(_ event: LoggedEvent) throws(DecodingError) {
        id = try Event(topic: event.topic, body: event.body).id
        body = event.body
        data = try event.data()
    }

    /// The rule and the movie or product, for cooldowns.
    var subject: String {
        let code = data.movieCode?.description ?? data.product?.description
        return code.map { "\(data.rule)/\($0)" } ?? data.rule.rawValue
    }

    func sentence(in language: Language) -> String {
        data.text[language].cleanLines
    }

    func heading(in language: Language) -> String {
        if let name = sampleHeading?.text(in: language) { return language("테스트: \(name)", "Test: \(name)") }
        let name = AlertRules.headings[data.rule.rawValue]?.text(in: language) ?? "marquee"
        return data.retracts == nil ? name : language("알림 취소: \(name)", "Taken back: \(name)")
    }

    /// Returns the address of the board's page about the movie or product, or else of its first page.
    func link(on board: String?) -> String? {
        let page = data.movieCode.map { "movie/\($0)" } ?? data.product.map { "shop/\($0)" }
        return board.map { "\($0)/\(page ?? "")" }
    }

    /// Returns the address of the poster, at the board: a stranger's host sees no reader. Nil if there is none.
    func image(on board: String?) -> String? {
        guard let board, let poster else { return nil }
        return "\(board)/api/v1/posters/\(poster)?size=large"
    }
}

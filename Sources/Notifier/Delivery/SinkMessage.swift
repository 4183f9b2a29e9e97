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
        return language == .ko ? "박스오피스 알림 \(alerts.count)건" : "Box office: \(alerts.count) alerts"
    }

    /// What the message is about: the alert's rule in words, or the number of alerts.
    var heading: String {
        alerts.count == 1 ? alerts[0].heading(in: language) : title
    }

    /// The address of the page that the message is about, or of the first page for a digest; nil if there is no board.
    var link: String? {
        alerts.count == 1 ? alerts[0].link(on: board) : board.map { "\($0)/" }
    }

    /// Returns the address of the first alert's poster that is known; nil without one, or without a board.
    func image() -> String? {
        alerts.lazy.compactMap { $0.image(on: board) }.first
    }

    /// The message without its images, for a service that refuses them.
    var withoutImages: SinkMessage {
        var message = self
        for index in alerts.indices { message.alerts[index].poster = nil }
        return message
    }

    // MARK: Text

    /// Returns the message as text: the alert's sentence, or a line for each alert, as many as fit. `link` has its markup;
    /// `escape` escapes each scalar alone.
    func text(
        limit: Int, link: String? = nil, escape: (String) -> String = { $0 },
        size: (String) -> Int = { $0.utf16.count }
    ) -> String {
        let room = limit - (link.map { size("\n" + $0) } ?? 0)
        var texts = [title.cut(to: room, escape: escape, size: size)]
        if alerts.count > 1 {
            texts += lines(limit: room - size(texts[0]), size: size) { alert in
                "· " + alert.sentence(in: language).cut(to: 500, escape: escape, size: size)
            }
        }
        return (texts + [link].compactMap(\.self)).joined(separator: "\n")
    }

    /// Returns the lines of a digest, as many as fit; the last one says how many alerts are left out.
    func lines(
        limit: Int, count: Int = .max, size: (String) -> Int = { $0.utf16.count }, _ line: (OutboundAlert) -> String
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
    var weight: Int {
        Self.allCases.firstIndex(of: self) ?? 0
    }

    /// The color that stands beside an alert, `0xRRGGBB`: red, amber or gray.
    var color: Int {
        switch self {
        case .major: 0xD7_26_3D
        case .notable: 0xF2_A9_00
        case .info: 0x7A_86_91
        }
    }
}

extension SinkMessage {
    /// Makes a test message; each second gives another key.
    init(testOf sink: String, at now: Date) {
        let text = Alert.Text(
            ko: "marquee 테스트 알림: \(sink)에 정상적으로 연결되었습니다", en: "A test of marquee: alerts arrive at \(sink)")
        key = "test.\(sink).\(Int(now.timeIntervalSince1970))"
        let data = JSON.encodeInfallibly(["text": ["ko": text.ko, "en": text.en]])
        let alert = Alert(
            rule: "test", date: KoreanDate(at: now), movieCode: nil, title: nil, rank: nil, previousRank: nil,
            change: nil, severity: .info, values: [:], text: text, evidence: [])
        alerts = [OutboundAlert(id: key, body: Self.testEvent(id: key, data: data), data: alert)]
    }

    /// Returns an event that is not in the log.
    static func testEvent(id: String, data: [UInt8]) -> [UInt8] {
        var json = JSONWriter()
        json.beginMember("data", isFirst: true)
        json.appendJSON(data)
        json.member("datacontenttype", "application/json")
        json.member("id", id)
        json.member("source", "/marquee/notifier")
        json.member("specversion", "1.0")
        json.member("type", "marquee.test.v1")
        json.endObject()
        return json.bytes
    }
}

// MARK: - Alert

struct OutboundAlert: Sendable {
    let id: String
    let body: [UInt8]
    let data: Alert
    /// The movie's poster, as `CODE/VERSION` in the board's URLs; nil if none is known.
    var poster: String?
    /// The rule's heading if the alert is made up, to try a sink; its text says so, too. Nil for a real one.
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
        guard data.retracts != nil else { return name }
        return language == .ko ? "알림 취소: \(name)" : "Taken back: \(name)"
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

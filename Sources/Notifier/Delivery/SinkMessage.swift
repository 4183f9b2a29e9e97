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
    /// The language of its texts.
    var language = Language.ko
    /// The board's public URL without a trailing slash, for links and posters; nil if there is none.
    var board: String?

    /// The highest severity of the alerts.
    var severity: Alert.Severity {
        alerts.map(\.severity).max { $0.weight < $1.weight } ?? .info
    }

    /// The message as one line.
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

    /// Returns the address of the message's image: the poster of its movie; in a digest, of the alert that matters most
    /// among those with a poster. Nil if no poster is known, or there is no board.
    func image(_ size: PosterSize = .large) -> String? {
        illustrated?.image(on: board, size)
    }

    /// What the image shows: the movie's title.
    var imageTitle: String {
        let title = illustrated?.movieTitle?.clean.cut(to: 200) ?? ""
        return title.isEmpty ? heading : title
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
        limit: Int, link: String? = nil, escape: (String) -> String = { $0 },
        size: (String) -> Int = { $0.utf16.count }
    ) -> String {
        guard let link else { return sentences(limit: limit, escape, size) }
        return sentences(limit: limit - size("\n" + link), escape, size) + "\n" + link
    }

    private func sentences(limit: Int, _ escape: (String) -> String, _ size: (String) -> Int) -> String {
        guard alerts.count > 1 else { return title.cut(to: limit, escape: escape, size: size) }
        let firstLine = escape(title)
        let lines = lines(limit: limit - size(firstLine), size: size) { alert in
            "· " + alert.sentence(in: language).cut(to: Self.sentenceLimit, escape: escape, size: size)
        }
        return ([firstLine] + lines).joined(separator: "\n")
    }

    /// Returns the lines of a digest, as many as fit; the last one says how many alerts are left out.
    ///
    /// - Parameters:
    ///   - limit: the largest size of all lines, each with the line feed before it.
    ///   - count: the largest number of alerts.
    ///   - line: writes an alert, with its markup.
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
    init(testOf sink: String, at now: Date) {
        let text = Alert.Text(
            ko: "marquee 테스트 알림: \(sink)에 정상적으로 연결되었습니다", en: "A test of marquee: alerts arrive at \(sink)")
        key = "test.\(sink).\(Int(now.timeIntervalSince1970))"
        let data = JSON.encodeInfallibly(["text": ["ko": text.ko, "en": text.en]])
        alerts = [
            OutboundAlert(
                id: key, body: Self.testEvent(id: key, data: data), rule: "test", subject: "test", severity: .info,
                text: text, retracts: nil)
        ]
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

/// A size of the board's posters; the raw value is the word in its URLs.
enum PosterSize: String {
    /// At most 144 × 216 pixels.
    case small
    /// At most 480 × 720 pixels.
    case large
}

// MARK: - Alert

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
    /// The movie; nil for an alert about something else.
    var movieCode: MovieCode?
    /// The movie's title; nil for an alert about something else.
    var movieTitle: String?
    /// The product; nil for an alert about something else.
    var product: ProductID?
    /// The movie's poster, as `CODE/VERSION` in the board's URLs; nil if none is known.
    var poster: String?
    /// The rule's heading if the alert is made up, to try a sink; its text says so, too. Nil for a real one.
    var sampleHeading: RuleHeading?
}

extension OutboundAlert {
    /// Returns the alert as a sentence, without marks that nobody sees.
    func sentence(in language: Language) -> String {
        text[language].cleanLines
    }

    /// Returns the rule in words.
    func heading(in language: Language) -> String {
        if let name = sampleHeading?.text(in: language) { return language("테스트: \(name)", "Test: \(name)") }
        let name = AlertRules.headings[rule]?.text(in: language) ?? "marquee"
        guard retracts != nil else { return name }
        return language == .ko ? "알림 취소: \(name)" : "Taken back: \(name)"
    }

    /// Returns the address of the board's page about the movie or product, or else of its first page.
    ///
    /// - Parameter board: the board's public URL, without a trailing slash; nil if there is none.
    func link(on board: String?) -> String? {
        // Only a checked code becomes a part of a URL.
        let page = movieCode.map { "movie/\($0)" } ?? product.map { "shop/\($0)" }
        return board.map { "\($0)/\(page ?? "")" }
    }

    /// Returns the address of the poster at the board; nil if there is none.
    ///
    /// Readers ask only the board: a stranger's host sees none of them, and the poster never changes under its address.
    func image(on board: String?, _ size: PosterSize) -> String? {
        guard let board, let poster else { return nil }
        return "\(board)/api/v1/posters/\(poster)?size=\(size.rawValue)"
    }
}

extension OutboundAlert {
    /// Makes it of an alert that enters the log as `event`.
    init(_ alert: Alert, id: String, event: LoggedEvent) {
        self.init(id: id, body: event.body, alert)
    }

    /// Makes it of an alert and the bytes of its event.
    init(id: String, body: [UInt8], _ alert: Alert) {
        self.init(
            id: id, body: body,
            Fields(
                rule: alert.rule.rawValue, movieCode: alert.movieCode?.description, product: alert.product?.number,
                title: alert.title, severity: alert.severity, text: alert.text, retracts: alert.retracts))
    }

    /// Reads an event of the alert log.
    init(_ event: LoggedEvent) throws(DecodingError) {
        self.init(
            id: try Event(topic: event.topic, body: event.body).id, body: event.body,
            try event.data(as: Fields.self))
    }

    private init(id: String, body: [UInt8], _ fields: Fields) {
        self.id = id
        self.body = body
        rule = fields.rule
        let code = fields.movieCode ?? fields.product.map { "\($0)" }
        subject = code.map { "\(fields.rule)/\($0)" } ?? fields.rule
        severity = fields.severity
        text = fields.text
        retracts = fields.retracts
        movieCode = fields.movieCode.flatMap { MovieCode($0) }
        movieTitle = movieCode == nil ? nil : fields.title
        product = fields.product.flatMap { ProductID($0) }
    }

    /// The fields of the event's data that delivery needs.
    private struct Fields: Decodable {
        let rule: String
        let movieCode: String?
        let product: Int?
        let title: String?
        let severity: Alert.Severity
        let text: Alert.Text
        let retracts: String?
    }
}

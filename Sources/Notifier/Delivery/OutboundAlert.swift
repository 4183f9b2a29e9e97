import BoxOffice
import Contract
import EventStore
import JSONCoding
import OpenMarket
import Text

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
    /// Whether the alert is made up, to try a sink; its text says so, too.
    var isTest = false
}

// MARK: - What people see

extension OutboundAlert {
    /// Returns the alert as a sentence, without marks that nobody sees.
    func sentence(in language: Language) -> String {
        text[language].cleanLines
    }

    /// Returns the rule in words.
    func heading(in language: Language) -> String {
        let name = AlertRule(rawValue: rule)?.name(in: language) ?? "marquee"
        if isTest { return language == .ko ? "테스트: \(name)" : "Test: \(name)" }
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

// MARK: - Events

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

import BoxOffice
import Contract
import EventStore
import OpenMarket

/// An alert as a sink gets it: the event as it was published, and what of it people and policies look at.
struct OutboundAlert: Sendable {
    /// The event's id: the same however often it is sent.
    let id: String
    /// The event as it was published.
    let body: [UInt8]
    /// The rule that fired.
    let rule: String
    /// What the alert is about, with its rule: what a cooldown goes by.
    let subject: String
    /// How much it matters.
    let severity: Alert.Severity
    /// The alert in words.
    let text: Alert.Text
    /// The id of the alert that this one takes back.
    let retracts: String?
}

extension OutboundAlert {
    /// Makes it of an alert that enters the log under an id, as this event.
    init(_ alert: Alert, id: String, event: LoggedEvent) {
        self.init(
            id: id, event: event,
            Facts(
                rule: alert.rule.rawValue, movieCode: alert.movieCode?.description, product: alert.product?.number,
                severity: alert.severity, text: alert.text, retracts: alert.retracts))
    }

    /// Reads an event of the alert log.
    init(_ event: LoggedEvent) throws(DecodingError) {
        self.init(
            id: try Event(topic: event.topic, body: event.body).id, event: event, try event.data(as: Facts.self))
    }

    private init(id: String, event: LoggedEvent, _ facts: Facts) {
        self.id = id
        body = event.body
        rule = facts.rule
        let isAbout = facts.movieCode ?? facts.product.map { "\($0)" }
        subject = isAbout.map { "\(facts.rule)/\($0)" } ?? facts.rule
        severity = facts.severity
        text = facts.text
        retracts = facts.retracts
    }

    /// The data, as far as delivery needs it.
    private struct Facts: Decodable {
        let rule: String
        let movieCode: String?
        let product: Int?
        let severity: Alert.Severity
        let text: Alert.Text
        let retracts: String?
    }
}

extension Alert.Severity {
    /// How much it matters, as a number: more for what matters more.
    var weight: Int {
        switch self {
        case .info: 0
        case .notable: 1
        case .major: 2
        }
    }
}

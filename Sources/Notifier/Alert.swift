public import BoxOffice
public import Contract
public import JSONCoding
public import OpenMarket

/// The data of an alert event: what a rule found about a movie on a day, a product or an anomaly, or its retraction.
public struct Alert: Hashable, Sendable, Decodable {
    /// How much an alert matters. Derived from what the alert is about, unless the rule file sets it; for an alert about
    /// ranks, from the better rank of the two days.
    public enum Severity: String, Hashable, Sendable, CaseIterable, Codable {
        // In ascending order.
        /// Of ranks, 4 or lower, or no rank.
        case info
        /// Of ranks, 2 or 3.
        case notable
        /// Of ranks, 1.
        case major

        init(rank: Int?, previousRank: Int?) {
            switch [rank, previousRank].compactMap(\.self).min() {
            case .some(...1): self = .major
            case .some(...3): self = .notable
            default: self = .info
            }
        }
    }

    /// The alert as one sentence in each language.
    public struct Text: Hashable, Sendable, Decodable {
        /// The Korean sentence.
        public var ko: String
        /// The English sentence.
        public var en: String
    }

    /// An event of the worker's log that an alert rests on.
    public struct Evidence: Hashable, Sendable, Decodable {
        /// The event's stream.
        public var stream: Stream
        /// The event's sequence in its stream.
        public var sequence: SequenceNumber
    }

    /// The rule that fired.
    public var rule: AlertRule
    /// The day of the chart; for an alert about a product, the event's day in Korea.
    public var date: KoreanDate
    /// The market of the chart; nil for the whole market.
    public var market: Market?
    /// The movie; nil for an alert about something else.
    @Nullable public var movieCode: MovieCode?
    /// The product; nil for an alert about something else.
    public var product: ProductID?
    /// The movie's title in the chart, or the product's name.
    @Nullable public var title: String?
    /// The rank on the day; nil for a movie that left.
    @Nullable public var rank: Int?
    /// The rank on the day before; nil where it is not known, as for a movie that entered.
    @Nullable public var previousRank: Int?
    /// The number of ranks that the movie rose or, negative, fell; nil where it is not known.
    @Nullable public var change: Int?
    /// The severity.
    public var severity: Severity
    /// The rule's own values.
    public var values: [String: TemplateValue]
    /// The alert as a sentence.
    public var text: Text
    /// The events that the alert rests on: the day's chart, then the chart of the day before if the rule uses it.
    public var evidence: [Evidence]
    /// The id of the alert that this one retracts; nil if it is not a retraction.
    public var retracts: String?

    /// The event's id, the same each time the same alert is decided: rule, movie, day and market. For a product, which can
    /// change several times a day: rule, product, day and event.
    public var id: String {
        if let product, let event = evidence.first {
            return "\(rule).\(product).\(date).\(event.stream.rawValue).\(event.sequence.value)"
        }
        if let retracts { return "\(retracts).retracted" }
        let span = if case .text(let span) = values["span"] { ".\(span)" } else { "" }
        return "\(rule).\(subject?.description ?? "").\(date).\(market ?? .all)\(span)"
    }

    var topic: Topic? { subject.map { .alert(rule, about: $0, date) } }

    private var subject: AlertSubject? {
        if let movieCode { return AlertSubject(movieCode) }
        if let product { return AlertSubject(product) }
        guard case .text(let kind) = values["kind"] else { return nil }
        return Anomaly.Kind(rawValue: kind).map { AlertSubject($0) }
    }
}

// MARK: - JSON

extension Alert: JSONWritable {
    /// Writes members in the order of their names. A missing value of a movie's alert is null; members that a movie's alert
    /// never has are left out.
    public func write(to json: inout JSONWriter) {
        json.member("change", change, isFirst: true)
        json.member("date", date.description)
        json.member("evidence", evidence)
        if let market { json.member("market", market.description) }
        json.member("movieCode", movieCode?.description)
        json.member("previousRank", previousRank)
        if let product { json.member("product", product.number) }
        json.member("rank", rank)
        if let retracts { json.member("retracts", retracts) }
        json.member("rule", rule.rawValue)
        json.member("severity", severity.rawValue)
        json.member("text", text)
        json.member("title", title)
        json.beginMember("values")
        json.appendObject(values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        json.endObject()
    }
}

extension Alert.Text: JSONWritable {
    /// Writes the two sentences.
    public func write(to json: inout JSONWriter) {
        json.member("en", en, isFirst: true)
        json.member("ko", ko)
        json.endObject()
    }
}

extension Alert.Evidence: JSONWritable {
    /// Writes the event's stream and sequence.
    public func write(to json: inout JSONWriter) {
        json.member("sequence", sequence.description, isFirst: true)
        json.member("stream", stream.rawValue)
        json.endObject()
    }
}

public import BoxOffice
public import Contract
public import JSONCoding
public import OpenMarket

/// What a rule found out about a film on a day or about a product, or that this no longer holds: the data of an alert event.
public struct Alert: Hashable, Sendable, Decodable {
    /// How much an alert matters: by the best rank that the film has or had the day before, unless its rule says.
    public enum Severity: String, Hashable, Sendable, CaseIterable, Codable {
        /// Outside the first three.
        case info
        /// Second or third.
        case notable
        /// Number one.
        case major

        /// The severity of what happens to a film with these ranks, as far as they are known.
        init(rank: Int?, previousRank: Int?) {
            switch [rank, previousRank].compactMap(\.self).min() {
            case .some(...1): self = .major
            case .some(...3): self = .notable
            default: self = .info
            }
        }
    }

    /// The alert in words, one sentence each.
    public struct Text: Hashable, Sendable, Decodable {
        /// In Korean.
        public var ko: String
        /// In English.
        public var en: String
    }

    /// An event in the worker's log that an alert rests on.
    public struct Evidence: Hashable, Sendable, Decodable {
        /// The event's stream.
        public var stream: Stream
        /// The event's place in its stream.
        public var sequence: SequenceNumber

        /// Names an event.
        public init(stream: Stream, sequence: SequenceNumber) {
            self.stream = stream
            self.sequence = sequence
        }
    }

    /// The rule that fired.
    public var rule: AlertRule
    /// The day of the chart; of an alert about a product the day in Korea on which it was seen so.
    public var date: KoreanDate
    /// The market of the chart; absent for the whole country's.
    public var market: Market?
    /// The film; nil for what is about none.
    @Nullable public var movieCode: MovieCode?
    /// The product; absent for what is about none.
    public var product: ProductID?
    /// The film's title, as the chart has it, or the product's name.
    @Nullable public var title: String?
    /// The rank on the day; nil for a film that left.
    @Nullable public var rank: Int?
    /// The rank on the day before; nil where it is not known, as for a film that entered.
    @Nullable public var previousRank: Int?
    /// How many ranks the film rose (positive) or fell; nil where it is not known.
    @Nullable public var change: Int?
    /// How much it matters.
    public var severity: Severity
    /// The rule's own figures.
    public var values: [String: TemplateValue]
    /// The alert in words.
    public var text: Text
    /// The events it rests on: the day's chart, then the day before's if the rule looks at it.
    public var evidence: [Evidence]
    /// The id of the alert that this one takes back; absent otherwise.
    public var retracts: String?

    /// The same for the same decision, whenever and however often it is taken: rule, film, day and market; for a product,
    /// which may change often on a day, rule, product, day and the event that says so.
    public var id: String {
        if let product, let event = evidence.first {
            return "\(rule.rawValue).\(product).\(date).\(event.stream.rawValue).\(event.sequence.value)"
        }
        if let retracts { return "\(retracts).retracted" }
        let span = if case .text(let span) = values["span"] { ".\(span)" } else { "" }
        return "\(rule.rawValue).\(subject).\(date).\(market ?? .all)\(span)"
    }

    /// The topic of its event.
    var topic: Topic? {
        if let movieCode { return .alert(rule: rule, code: movieCode, date: date) }
        if let product { return .productAlert(rule: rule, product: product, date: date) }
        return Anomaly.Kind(rawValue: subject).map { .anomalyAlert($0, date) }
    }

    /// The film, or else the kind of anomaly.
    private var subject: String {
        if let movieCode { return movieCode.description }
        guard case .text(let kind) = values["kind"] else { return "" }
        return kind
    }
}

// MARK: - JSON

extension Alert: JSONWritable {
    /// Writes members in the order of their names: what a film's alert may lack is null, what only others have is left out.
    public func write(to json: inout JSONWriter) {
        json.member("change", change, isFirst: true)
        json.member("date", date.description)
        json.member("evidence", evidence)
        if let market {
            json.member("market", market.description)
        }
        json.member("movieCode", movieCode?.description)
        json.member("previousRank", previousRank)
        if let product {
            json.member("product", product.number)
        }
        json.member("rank", rank)
        if let retracts {
            json.member("retracts", retracts)
        }
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
    /// Writes both sentences.
    public func write(to json: inout JSONWriter) {
        json.member("en", en, isFirst: true)
        json.member("ko", ko)
        json.endObject()
    }
}

extension Alert.Evidence: JSONWritable {
    /// Writes the event's stream and place.
    public func write(to json: inout JSONWriter) {
        json.member("sequence", sequence.description, isFirst: true)
        json.member("stream", stream.rawValue)
        json.endObject()
    }
}

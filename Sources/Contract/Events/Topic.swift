public import BoxOffice
public import JSONCoding
public import OpenMarket

/// The topic of an event. Its text is the first frame of the event's message; subscriptions match its prefixes.
///
/// A topic consists of checked values only, so that no client can change its meaning.
public enum Topic: Hashable, Sendable {
    case ranking(day: KoreanDate, market: Market)
    case weekRanking(Week, market: Market)
    case movie(MovieCode)
    case poster(MovieCode)
    case products(page: Int, perPage: Int)
    case product(ProductID)
    case productRemoved(ProductID)
    case request(RequestStage, RequestID)
    /// A chart that is late, incomplete or implausible.
    case anomaly(Anomaly.Kind, KoreanDate)
    case alert(AlertRule, about: AlertSubject, KoreanDate)

    /// The steps in the life of a request; the raw value is the word in topics.
    public enum RequestStage: String, Hashable, Sendable, CaseIterable, Codable {
        case accepted
        /// The request is done: the events that it asked for are in the log.
        case done
        case failed
    }

    /// The stream that numbers the topic's events.
    public var stream: Stream {
        switch self {
        case .ranking, .weekRanking: .ranking
        case .movie: .movie
        case .poster: .poster
        case .products: .products
        case .product, .productRemoved: .product
        case .request: .request
        case .anomaly: .anomaly
        case .alert: .alert
        }
    }

    /// The `type` of the topic's events.
    public var type: String {
        switch self {
        case .ranking: "marquee.ranking.day.v1"
        case .weekRanking: "marquee.ranking.week.v1"
        case .movie: "marquee.movie.v1"
        case .poster: "marquee.poster.v1"
        case .products: "marquee.products.v1"
        case .product: "marquee.product.v1"
        case .productRemoved: "marquee.product.removed.v1"
        case .request(let stage, _): "marquee.request.\(stage.rawValue).v1"
        case .anomaly: "marquee.anomaly.v1"
        case .alert: "marquee.alert.v1"
        }
    }

    /// The `subject` of the topic's events.
    public var subject: String {
        switch self {
        case .ranking(let day, let market): "\(market)/\(day)"
        case .weekRanking(let week, let market): "\(market)/\(week.span.rawValue)/\(week.firstDay)"
        case .movie(let code), .poster(let code): code.description
        case .products(let page, let perPage): "\(page)/\(perPage)"
        case .product(let id), .productRemoved(let id): id.description
        case .request(_, let id): id.description
        case .anomaly(let kind, let date): "\(kind.rawValue)/\(date)"
        case .alert(_, let subject, let date): "\(subject)/\(date)"
        }
    }
}

/// A sequence of events that is numbered on its own; the raw value is the first word of its topics.
public enum Stream: String, Hashable, Sendable, CaseIterable, Codable, CodingKeyRepresentable {
    case ranking
    case movie
    case poster
    case products
    case product
    case request
    /// Charts that are late, incomplete or implausible.
    case anomaly
    /// Alerts, in the notifier's log.
    case alert
}

// MARK: - Text

extension Topic: CustomStringConvertible {
    /// The topic on the wire.
    public var description: String {
        switch self {
        case .ranking(let day, let market): "ranking.day.\(market).\(day)"
        case .weekRanking(let week, let market): "ranking.week.\(market).\(week.span.rawValue).\(week.firstDay)"
        case .movie(let code): "movie.\(code)"
        case .poster(let code): "poster.\(code)"
        case .products(let page, let perPage): "products.\(page).\(perPage)"
        case .product(let id): "product.\(id)"
        case .productRemoved(let id): "product.removed.\(id)"
        case .request(let stage, let id): "request.\(stage.rawValue).\(id)"
        case .anomaly(let kind, let date): "anomaly.\(kind.rawValue).\(date)"
        case .alert(let rule, let subject, let date): "alert.\(rule).\(subject).\(date)"
        }
    }

    /// Reads the form that `description` writes, and no other.
    public init?(_ text: some StringProtocol) {
        let whole = String(text)
        if let day = Self.nationalDay(whole.utf8.span) {
            self = .ranking(day: day, market: .all)
            return
        }
        // Split by bytes, because splitting by characters takes several times as long.
        let words = whole.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let topic = Self.parse(words.map { Substring($0) }),
            topic.description.utf8.elementsEqual(text.utf8)  // as bytes, because `==` compares by canonical equivalence
        else { return nil }
        self = topic
    }

    private static let national = Array("ranking.day.all.".utf8)

    /// Returns the day of a national daily chart's topic; nil for any other topic.
    /// Nearly all topics that are read in large numbers have this form.
    private static func nationalDay(_ text: Span<UInt8>) -> KoreanDate? {
        guard text.count == national.count + "2024-06-04".utf8.count else { return nil }
        for index in national.indices where text[index] != national[index] { return nil }
        return KoreanDate(digits: text.extracting(droppingFirst: national.count))
    }

    private static func parse(_ words: [Substring]) -> Topic? {
        switch (words.first.flatMap { Stream(rawValue: String($0)) }, words.count) {
        case (.ranking, 4):
            guard words[1] == "day", let market = Market(words[2]), let day = KoreanDate(words[3]) else { return nil }
            return .ranking(day: day, market: market)
        case (.ranking, 5):
            guard words[1] == "week", let market = Market(words[2]), let span = Week.Span(rawValue: String(words[3])),
                let firstDay = KoreanDate(words[4])
            else { return nil }
            return .weekRanking(Week(of: firstDay, span: span), market: market)
        case (.movie, 2):
            return MovieCode(words[1]).map(Topic.movie)
        case (.poster, 2):
            return MovieCode(words[1]).map(Topic.poster)
        case (.products, 3):
            guard let page = Int(words[1]), page > 0, let perPage = Int(words[2]),
                ProductPage.perPage.contains(perPage)
            else { return nil }
            return .products(page: page, perPage: perPage)
        case (.product, 2):
            return ProductID(words[1]).map(Topic.product)
        case (.product, 3) where words[1] == "removed":
            return ProductID(words[2]).map(Topic.productRemoved)
        case (.request, 3...):
            // A request's id may contain dots.
            guard let stage = RequestStage(rawValue: String(words[1])),
                let id = RequestID(words[2...].joined(separator: "."))
            else { return nil }
            return .request(stage, id)
        case (.anomaly, 3):
            guard let kind = Anomaly.Kind(rawValue: String(words[1])), let date = KoreanDate(words[2]) else {
                return nil
            }
            return .anomaly(kind, date)
        case (.alert, 4):
            guard let rule = AlertRule(rawValue: String(words[1])), let subject = AlertSubject(words[2]),
                let date = KoreanDate(words[3])
            else { return nil }
            return .alert(rule, about: subject, date)
        default:
            return nil
        }
    }
}

extension Topic: StringRepresentable {
    /// The noun in error texts.
    public static let noun = "topic of an event"
}

// MARK: - Subscriptions

extension Topic {
    /// The most bytes of a topic; the longest has a request id of 128.
    public static let maximumBytes = 160

    /// Returns whether a topic of an event or a heartbeat may begin with a prefix: its first word must be a stream or
    /// `heartbeat`; the rest may be any printable ASCII without blanks, as in a request's id.
    public static func canBegin(with prefix: [UInt8]) -> Bool {
        guard prefix.count <= maximumBytes, prefix.allSatisfy({ (0x21...0x7e).contains($0) }) else { return false }
        return firstWords.contains { word in zip(word, prefix).allSatisfy { $0 == $1 } }
    }

    private static let firstWords = (Stream.allCases.map { $0.rawValue + "." } + [Heartbeat.topicPrefix]).map {
        Array($0.utf8)
    }
}

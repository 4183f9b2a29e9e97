public import BoxOffice
public import OpenMarket

/// The topic of an event. Its text is the first frame of the event's message; subscriptions match its prefixes.
///
/// A topic consists of checked values only, so that no client can change its meaning.
public enum Topic: Hashable, Sendable {
    /// A day's chart of a market.
    case ranking(day: KoreanDate, market: Market)
    /// A week's chart of a market.
    case weekRanking(Week, market: Market)
    /// A movie's facts.
    case movie(MovieCode)
    /// A movie's poster.
    case poster(MovieCode)
    /// A page of the shop's products.
    case products(page: Int, perPage: Int)
    /// A product of the shop.
    case product(ProductID)
    /// The removal of a product from the shop.
    case productRemoved(ProductID)
    /// A step in the life of a request.
    case request(RequestStage, RequestID)
    /// A chart that is late, incomplete or implausible.
    case anomaly(Anomaly.Kind, KoreanDate)
    /// An alert.
    case alert(AlertRule, about: AlertSubject, KoreanDate)

    /// The steps in the life of a request; the raw value is the word in topics.
    public enum RequestStage: String, Hashable, Sendable, CaseIterable, Codable {
        /// The request is stored on disk.
        case accepted
        /// The request is done: the events that it asked for are in the log.
        case done
        /// The request has failed and will not be retried.
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
    /// Charts.
    case ranking
    /// Movies' facts.
    case movie
    /// Movies' posters.
    case poster
    /// Pages of the shop's products.
    case products
    /// Products of the shop.
    case product
    /// Steps in the lives of requests.
    case request
    /// Charts that are late, incomplete or implausible.
    case anomaly
    /// Alerts, in the notifier's log.
    case alert
}

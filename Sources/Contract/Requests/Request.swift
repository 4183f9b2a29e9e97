public import BoxOffice

/// A checked request.
public struct Request: Hashable, Sendable {
    /// The subject of a request.
    public enum Target: Hashable, Sendable {
        /// A day's chart.
        case day(KoreanDate, Market)
        /// A week's chart.
        case week(Week, Market)
        /// A movie's facts and, if `poster` is true, its poster.
        case movie(MovieCode, poster: Bool)
        /// A query to the shop.
        case products(ProductQuery)
        /// A change to the shop.
        case productOrder(ProductOrder)

        /// The prefixes of the topics of the events that answer the request.
        public var prefixes: [String] {
            switch self {
            case .day(let date, let market): ["\(Topic.ranking(day: date, market: market))"]
            case .week(let week, let market): ["\(Topic.weekRanking(week, market: market))"]
            case .movie(let code, let poster): ["\(Topic.movie(code))"] + (poster ? ["\(Topic.poster(code))"] : [])
            case .products(let question): question.prefixes
            case .productOrder(let order): order.prefixes
            }
        }
    }

    /// The order in which queued requests are carried out.
    public enum Priority: String, Hashable, Sendable, CaseIterable {
        /// A client waits for the answer.
        case live
        /// The request is carried out when no live request is queued.
        case backfill

        /// Reads a request's field `priority`; live if the field is missing.
        init(checking text: String?) throws(ContractError) {
            guard let priority = Self(rawValue: text ?? Self.live.rawValue) else {
                throw ContractError(.badRequest, "priority must be live or backfill", field: "priority")
            }
            self = priority
        }
    }

    /// The subject of the request.
    public let target: Target
    /// The client's own id; nil if the request has none.
    public let id: RequestID?
    /// Whether the upstream is asked even if the log has a fresh answer.
    public let refresh: Bool
    /// The request's priority.
    public let priority: Priority

    /// Makes a request.
    public init(_ target: Target, id: RequestID? = nil, refresh: Bool = false, priority: Priority = .live) {
        self.target = target
        self.id = id
        self.refresh = refresh
        self.priority = priority
    }

    /// The request's topic.
    public var topic: RequestTopic {
        switch target {
        case .day: .fetchDay
        case .week: .fetchWeek
        case .movie: .fetchMovie
        case .products(.page): .fetchProducts
        case .products(.catalogue): .fetchCatalogue
        case .products(.product): .fetchProduct
        case .productOrder(.register): .productRegister
        case .productOrder(.modify): .productModify
        case .productOrder(.remove): .productRemove
        }
    }
}

public import BoxOffice

/// A request that was read and found possible: what is wanted, and how.
public struct Request: Hashable, Sendable {
    /// What is wanted.
    public enum Target: Hashable, Sendable {
        /// A day's chart.
        case day(KoreanDate, Market)
        /// A week's chart.
        case week(Week, Market)
        /// A movie's facts, and its poster unless that is not wanted.
        case movie(MovieCode, poster: Bool)
        /// Something of the shop.
        case products(ProductQuery)
        /// Something that is to be done in the shop.
        case productOrder(ProductOrder)

        /// What the topics of the answers begin with.
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

    /// Which requests go first.
    public enum Priority: String, Hashable, Sendable, CaseIterable {
        /// Somebody waits for the answer.
        case live
        /// Nobody does; it is done when nothing live is waiting.
        case backfill

        /// Reads a request's field `priority`.
        init(checking text: String?) throws(ContractError) {
            guard let priority = Self(rawValue: text ?? Self.live.rawValue) else {
                throw ContractError(.badRequest, "priority is live or backfill", field: "priority")
            }
            self = priority
        }
    }

    /// What is wanted.
    public let target: Target
    /// The client's own id, if it gave one.
    public let id: RequestID?
    /// Whether the upstream is asked even if the log has a fresh answer.
    public let refresh: Bool
    /// Which requests go first.
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

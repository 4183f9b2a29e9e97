public import BoxOffice
public import FoundationEssentials
import JSONCoding

/// A checked request.
public struct Request: Hashable, Sendable {
    /// The subject of a request.
    public enum Target: Hashable, Sendable {
        case day(KoreanDate, Market)
        case week(Week, Market)
        /// A movie's facts and, if `poster` is true, its poster.
        case movie(MovieCode, poster: Bool)
        case products(ProductQuery)
        case productOrder(ProductOrder)

        /// The prefixes of the topics of the events that answer the request.
        public var prefixes: [String] {
            switch self {
            case .day(let date, let market): ["\(Topic.ranking(day: date, market: market))"]
            case .week(let week, let market): ["\(Topic.weekRanking(week, market: market))"]
            case .movie(let code, let poster): ["\(Topic.movie(code))"] + (poster ? ["\(Topic.poster(code))"] : [])
            case .products(.page(let page, let perPage)): ["\(Topic.products(page: page, perPage: perPage))"]
            case .products(.catalogue): ["\(Stream.products.rawValue)."]
            case .products(.product(let id)): ["\(Topic.product(id))", "\(Topic.productRemoved(id))"]
            // The id of a product to be registered is unknown.
            case .productOrder(.register): ["\(Stream.product.rawValue)."]
            case .productOrder(.modify(let id, _)): ["\(Topic.product(id))"]
            case .productOrder(.remove(let id)): ["\(Topic.productRemoved(id))"]
            }
        }
    }

    /// The order in which queued requests are carried out.
    public enum Priority: String, Hashable, Sendable, CaseIterable {
        /// A client waits for the answer.
        case live
        /// The request is carried out when no live request is queued.
        case backfill
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

// MARK: - Fields

extension Request {
    /// Reads and checks a request. Unknown fields are ignored; an error names the invalid part.
    public init(_ frames: RequestFrames, at now: Date) throws(ContractError) {
        guard let topic = RequestTopic(text: frames.topic) else {
            // Frames that were received have a topic of bounded bytes.
            throw ContractError(
                .badRequest, "unknown request \(frames.topic.prefix(40).debugDescription)", field: "topic")
        }
        let priority: String?
        switch try RequestFields(frames.body, topic: topic) {
        case .fetch(let fields):
            target = try fields.target(topic, at: now)
            (id, refresh, priority) = (try fields.requestID(), fields.refresh ?? false, fields.priority)
        case .product(let fields):
            target = try fields.target(topic)
            (id, refresh, priority) = (try fields.requestID(), fields.refresh ?? false, fields.priority)
        }
        self.priority = try RequestBody.known(priority, "priority", must: "be live or backfill", Priority.init) ?? .live
    }

    /// Returns the id of a request whose body may be invalid otherwise, so that its refusal has an id as well.
    public static func id(in frames: RequestFrames) -> RequestID? {
        struct Identified: Decodable {
            let id: String?
            let product: Int?
        }
        // `init` reports an unreadable body; here it only means that there is no id.
        let identified = try? JSONDecoder().decode(Identified.self, from: Data(frames.body.utf8))
        // Without `product`, the `id` of `fetch.product` is the product's number.
        if frames.topic == RequestTopic.fetchProduct.rawValue, identified?.product == nil { return nil }
        return identified?.id.flatMap { RequestID($0) }
    }

    /// The request's fields, which read back the same at any later time: the day is a date and never `yesterday`.
    public var fields: RequestFields {
        var fields = FetchFields()
        fields.id = id?.description
        fields.refresh = refresh ? true : nil
        fields.priority = priority == .live ? nil : priority.rawValue
        switch target {
        case .day(let date, let market):
            fields.date = date.description
            fields.filter(by: market)
        case .week(let week, let market):
            // The first week begins before the first day that can be requested.
            fields.date = max(week.firstDay, .firstChart).description
            fields.span = week.span.rawValue
            fields.filter(by: market)
        case .movie(let code, let poster):
            fields.code = code.description
            fields.poster = poster ? nil : false
        case .products(let query): return .product(ProductFields(query, fields))
        case .productOrder(let order): return .product(ProductFields(order, fields))
        }
        return .fetch(fields)
    }

    /// The request as two frames.
    public var frames: RequestFrames {
        RequestFrames(topic: topic.rawValue, body: String(decoding: fields.json, as: UTF8.self))
    }
}

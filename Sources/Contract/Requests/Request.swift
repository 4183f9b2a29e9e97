public import BoxOffice
public import FoundationEssentials
import JSONCoding

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

// MARK: - Fields

extension Request {
    /// Reads and checks a request. Unknown fields are ignored.
    ///
    /// - Parameter now: The current time, which determines yesterday's date.
    /// - Throws: A `ContractError` that names the invalid part.
    public init(_ frames: RequestFrames, at now: Date) throws(ContractError) {
        guard let topic = RequestTopic(text: frames.topic) else {
            // Frames that were received have a topic of bounded bytes.
            throw ContractError(
                .badRequest, "unknown request \(frames.topic.prefix(40).debugDescription)", field: "topic")
        }
        switch try RequestFields(frames.body, topic: topic) {
        case .fetch(let fields):
            self.init(
                try Self.target(topic, fields, at: now), id: try fields.requestID(), refresh: fields.refresh ?? false,
                priority: try Priority(checking: fields.priority))
        case .product(let fields):
            self.init(
                try fields.target(topic), id: try fields.requestID(), refresh: fields.refresh ?? false,
                priority: try Priority(checking: fields.priority))
        }
    }

    private static func target(
        _ topic: RequestTopic, _ fields: FetchFields, at now: Date
    ) throws(ContractError) -> Target {
        switch topic {
        case .fetchDay:
            .day(try fields.day(at: now), try fields.market())
        case .fetchWeek:
            .week(try fields.week(at: now), try fields.market())
        case .fetchMovie:
            .movie(try fields.movieCode(), poster: fields.poster ?? true)
        case .fetchProducts, .fetchProduct, .fetchCatalogue, .productRegister, .productModify, .productRemove:
            preconditionFailure("\(topic.rawValue) has fields of its own")
        }
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

    /// The request's fields.
    ///
    /// They read back the same at any later time, because the day is a date and never `yesterday`.
    public var fields: RequestFields {
        switch target {
        case .products(let question): .product(completed(ProductFields(question)))
        case .productOrder(let order): .product(completed(ProductFields(order)))
        case .day, .week, .movie: .fetch(fetchFields)
        }
    }

    private func completed(_ fields: ProductFields) -> ProductFields {
        var fields = fields
        fields.id = id.map { .text($0.description) }
        fields.refresh = refresh ? true : nil
        fields.priority = priority == .live ? nil : priority.rawValue
        return fields
    }

    private var fetchFields: FetchFields {
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
        case .products, .productOrder: break
        }
        return fields
    }

    /// The request as two frames.
    public var frames: RequestFrames {
        RequestFrames(topic: topic.rawValue, body: String(decoding: fields.json, as: UTF8.self))
    }
}

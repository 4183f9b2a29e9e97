public import BoxOffice
public import FoundationEssentials
public import JSONCoding

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

// MARK: - From and to fields

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

// MARK: - Fields

/// The fields of a request's body, read but not yet checked.
///
/// Secret and images of an order are no fields: `request.accepted` and `request.failed` echo the fields.
public enum RequestFields: Hashable, Sendable, JSONWritable {
    case fetch(FetchFields)
    case product(ProductFields)

    /// Reads a JSON object, or a bare value of the topic's required field.
    init(_ body: String, topic: RequestTopic) throws(ContractError) {
        self =
            topic.isAboutProducts
            ? .product(try ProductFields(body, topic: topic)) : .fetch(try FetchFields(body, topic: topic))
    }

    /// Reads the fields of a refused request, for its `request.failed`; a body that cannot be read has none.
    public init(of frames: RequestFrames) {
        let topic = RequestTopic(text: frames.topic)
        // The refusal beside the fields gives the reason.
        self = topic.flatMap { try? RequestFields(frames.body, topic: $0) } ?? .fetch(FetchFields())
    }

    /// Reads the fields of a request with the given topic, as an event has them.
    init(json: JSONValue, of topic: String) throws(DecodingError) {
        self =
            RequestTopic(text: topic)?.isAboutProducts == true
            ? .product(try json.decode()) : .fetch(try FetchFields(json: json))
    }

    /// Writes the fields.
    public func write(to json: inout JSONWriter) {
        switch self {
        case .fetch(let fields): fields.write(to: &json)
        case .product(let fields): json.appendJSON(JSON.encodeInfallibly(fields))
        }
    }
}

/// The body of a request or command: a JSON object or, of some requests, a bare value.
public enum RequestBody {
    /// Returns the bare value; nil if the body is an object, empty text if the body is empty.
    static func bare(_ body: String) -> String? {
        let text = body.drop(while: \.isWhitespace)
        guard text.first != "{" else { return nil }
        return String(text.reversed().drop(while: \.isWhitespace).reversed())
    }

    /// Reads an object's fields. Unknown ones are ignored; an error names the field that has the wrong type.
    public static func fields<Fields: Decodable>(_ body: String, as type: Fields.Type) throws(ContractError) -> Fields {
        try read(body) { bytes in try JSONDecoder().decode(type, from: Data(bytes)) }
    }

    /// Reads an object's fields, for a type that reads JSON directly.
    static func fields<Fields: JSONReadable>(in body: String, as type: Fields.Type) throws(ContractError) -> Fields {
        try read(body) { bytes in try Fields(json: bytes) }
    }

    /// Returns the value of a field, nil if it is missing, or throws what the field must be or have.
    static func known<Raw, Value>(
        _ raw: Raw?, _ field: String, must words: @autoclosure () -> String, _ value: (Raw) -> Value?
    ) throws(ContractError) -> Value? {
        guard let raw else { return nil }
        guard let value = value(raw) else {
            throw ContractError(.badRequest, "\(field) must \(words())", field: field)
        }
        return value
    }

    static func required<Value>(_ value: Value?, _ field: String) throws(ContractError) -> Value {
        guard let value else { throw ContractError(.badRequest, "\(field) is required", field: field) }
        return value
    }

    private static func read<Fields>(_ body: String, by decode: ([UInt8]) throws -> Fields) throws(ContractError)
        -> Fields
    {
        do {
            return try decode(Array(body.drop(while: \.isWhitespace).utf8))
        } catch DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context) {
            guard let field = context.codingPath.first?.stringValue else {
                throw ContractError(.badRequest, "the body is not a JSON object", field: "body")
            }
            throw ContractError(.badRequest, "the body's \(field) has the wrong type", field: field)
        } catch {
            throw ContractError(.badRequest, "the body is not a JSON object", field: "body")
        }
    }
}

// MARK: - Charts and movies

/// The fields of a request for a chart or a movie.
public struct FetchFields: Hashable, Sendable, JSONWritable, JSONReadable {
    var id: String?
    var date: String?
    var span: String?
    var nation: String?
    var films: String?
    var area: String?
    var code: String?
    var poster: Bool?
    var refresh: Bool?
    var priority: String?

    init() {}

    /// Reads a JSON object, or a bare value of the topic's required field.
    init(_ body: String, topic: RequestTopic) throws(ContractError) {
        guard let bare = RequestBody.bare(body) else {
            self = try RequestBody.fields(in: body, as: FetchFields.self)
            return
        }
        guard !bare.isEmpty else { return }
        if topic == .fetchMovie { code = bare } else { date = bare }
    }

    mutating func filter(by market: Market) {
        nation = market.nation?.rawValue
        films = market.films?.rawValue
        area = market.area?.description
    }

    /// Writes the fields that have values.
    public func write(to json: inout JSONWriter) {
        var isFirst = true
        func write(_ name: String, _ value: (some JSONWritable)?) {
            guard let value else { return }
            json.member(name, value, isFirst: isFirst)
            isFirst = false
        }
        write("area", area)
        write("code", code)
        write("date", date)
        write("films", films)
        write("id", id)
        write("nation", nation)
        write("poster", poster)
        write("priority", priority)
        write("refresh", refresh)
        write("span", span)
        json.appendJSON(isFirst ? "{}" : "}")
    }

    /// Reads the fields that are present. Unknown fields are ignored.
    public init(json: JSONValue) throws(DecodingError) {
        func text(_ name: String) throws(DecodingError) -> String? { try json[name]?.text() }
        func flag(_ name: String) throws(DecodingError) -> Bool? { try json[name]?.flag() }
        id = try text("id")
        date = try text("date")
        span = try text("span")
        nation = try text("nation")
        films = try text("films")
        area = try text("area")
        code = try text("code")
        poster = try flag("poster")
        refresh = try flag("refresh")
        priority = try text("priority")
    }
}

// MARK: - Checks

extension FetchFields {
    func target(_ topic: RequestTopic, at now: Date) throws(ContractError) -> Request.Target {
        switch topic {
        case .fetchDay: .day(try day(at: now), try market())
        case .fetchWeek: .week(try week(at: now), try market())
        case .fetchMovie: .movie(try movieCode(), poster: poster ?? true)
        case .fetchProducts, .fetchProduct, .fetchCatalogue, .productRegister, .productModify, .productRemove:
            preconditionFailure("\(topic.rawValue) has fields of its own")
        }
    }

    private func market() throws(ContractError) -> Market {
        var market = Market.all
        market.nation = try RequestBody.known(nation, "nation", must: "be K or F", Market.Nation.init)
        market.films = try RequestBody.known(films, "films", must: "be diverse or commercial", Market.Films.init)
        market.area = try RequestBody.known(area, "area", must: "be a code of seven digits, such as 0105001") {
            Market.Area($0)
        }
        return market
    }

    private func day(at now: Date) throws(ContractError) -> KoreanDate {
        try KoreanDate(ofChart: date, field: "date", at: now)
    }

    /// Returns the requested week, given by any of its days; its weekend if there is no span. It need not be over.
    private func week(at now: Date) throws(ContractError) -> Week {
        let date = try day(at: now)
        let span = try RequestBody.known(span, "span", must: "be week, weekend or weekdays", Week.Span.init)
        return Week(of: date, span: span ?? .weekend)
    }

    private func movieCode() throws(ContractError) -> MovieCode {
        try RequestBody.required(
            RequestBody.known(code, "code", must: "have eight characters of 0-9 and A-Z") { MovieCode($0) }, "code")
    }

    /// Returns the client's own id; nil if the request has none.
    func requestID() throws(ContractError) -> RequestID? { try RequestID.checked(id) }
}

extension KoreanDate {
    /// Reads the field of a request or command that names a chart's day, from the first chart's to yesterday.
    public init(ofChart text: String?, field: String, at now: Date) throws(ContractError) {
        let yesterday = KoreanDate.yesterday(at: now)
        let text = try RequestBody.required(text, field)
        guard let day = text == "yesterday" ? yesterday : KoreanDate(text) else {
            throw ContractError(.badRequest, "\(field) must be YYYY-MM-DD, YYYYMMDD or yesterday", field: field)
        }
        guard (KoreanDate.firstChart...yesterday).contains(day) else {
            throw ContractError(
                .dateOutOfRange, "charts reach from \(KoreanDate.firstChart) to \(yesterday), yesterday in Korea",
                field: field)
        }
        self = day
    }
}

public import BoxOffice
public import FoundationEssentials
public import JSONCoding

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

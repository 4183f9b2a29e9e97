import BoxOffice
import FoundationEssentials
public import JSONCoding

/// The fields of a request for a chart or a movie.
public struct FetchFields: Hashable, Sendable, Decodable {
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

    /// Makes fields without values.
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

    /// Sets the filters that select `market`.
    mutating func filter(by market: Market) {
        nation = market.nation?.rawValue
        films = market.films?.rawValue
        area = market.area?.description
    }
}

// MARK: - JSON

extension FetchFields: JSONWritable {
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
}

extension FetchFields: JSONReadable {
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

extension FetchFields {
    /// Returns the market that the filters select.
    func market() throws(ContractError) -> Market {
        var market = Market.all
        if let nation {
            guard let known = Market.Nation(rawValue: nation) else {
                throw ContractError(.badRequest, "nation must be K or F", field: "nation")
            }
            market.nation = known
        }
        if let films {
            guard let known = Market.Films(rawValue: films) else {
                throw ContractError(.badRequest, "films must be diverse or commercial", field: "films")
            }
            market.films = known
        }
        if let area {
            guard let code = Market.Area(area) else {
                throw ContractError(.badRequest, "area must be a code of seven digits, such as 0105001", field: "area")
            }
            market.area = code
        }
        return market
    }

    /// Returns the requested day, which lies between the first chart and yesterday.
    func day(at now: Date) throws(ContractError) -> KoreanDate {
        let yesterday = KoreanDate.yesterday(at: now)
        guard let date else { throw ContractError(.badRequest, "date is required", field: "date") }
        guard let day = date == "yesterday" ? yesterday : KoreanDate(date) else {
            throw ContractError(.badRequest, "date must be YYYY-MM-DD, YYYYMMDD or yesterday", field: "date")
        }
        guard (KoreanDate.firstChart...yesterday).contains(day) else {
            throw ContractError(
                .dateOutOfRange, "charts reach from \(KoreanDate.firstChart) to \(yesterday), yesterday in Korea",
                field: "date")
        }
        return day
    }

    /// Returns the requested week, given by any of its days; its weekend if there is no span. It need not be over.
    func week(at now: Date) throws(ContractError) -> Week {
        let date = try day(at: now)
        guard let span = Week.Span(rawValue: span ?? Week.Span.weekend.rawValue) else {
            throw ContractError(.badRequest, "span must be week, weekend or weekdays", field: "span")
        }
        return Week(of: date, span: span)
    }

    /// Returns the code of the requested movie.
    func movieCode() throws(ContractError) -> MovieCode {
        guard let code else { throw ContractError(.badRequest, "code is required", field: "code") }
        guard let movie = MovieCode(code) else {
            throw ContractError(.badRequest, "code must have eight characters of 0-9 and A-Z", field: "code")
        }
        return movie
    }

    /// Returns the client's own id; nil if the request has none.
    func requestID() throws(ContractError) -> RequestID? {
        try id.map { id throws(ContractError) in try RequestID(checking: id) }
    }
}

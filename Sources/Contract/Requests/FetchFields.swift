import BoxOffice
public import JSONCoding

/// The fields of a request for a chart or a film.
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

    /// Makes fields that are all left out.
    init() {}

    /// Reads a JSON object, or a bare value that stands for the topic's one needed field.
    init(_ body: String, topic: RequestTopic) throws(ContractError) {
        guard let bare = RequestBody.bare(body) else {
            self = try RequestBody.fields(in: body, as: FetchFields.self)
            return
        }
        guard !bare.isEmpty else { return }
        if topic == .fetchMovie { code = bare } else { date = bare }
    }

    /// Fills in the filters that select `market`.
    mutating func filter(by market: Market) {
        nation = market.nation?.rawValue
        films = market.films?.rawValue
        area = market.area?.description
    }
}

// MARK: - JSON

extension FetchFields: JSONWritable {
    /// Writes the fields that are there.
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
    /// Reads the fields that are there; others do not matter.
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

import BoxOffice

/// The fields of a request for a chart or a film.
public struct FetchFields: Hashable, Sendable, Codable {
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

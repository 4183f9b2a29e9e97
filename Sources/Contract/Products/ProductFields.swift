import FoundationEssentials
import OpenMarket

/// The fields of a request about the shop, without its secret, which is read and kept separately.
public struct ProductFields: Hashable, Sendable, Codable {
    var id: Name?
    var product: Int?
    var page: Int?
    var perPage: Int?
    var name: String?
    var description: String?
    var currency: String?
    var price: Decimal?
    var discount: Decimal?
    var stock: Int?
    var thumbnail: Int?
    var refresh: Bool?
    var priority: String?

    private enum CodingKeys: String, CodingKey {
        case id
        case product
        case page
        case perPage
        case name
        case description
        case currency
        case price
        case discount = "discountedPrice"
        case stock
        case thumbnail = "thumbnailId"
        case refresh
        case priority
    }

    /// The value of `id`: the request's id or, in a `fetch.product` without `product`, the product's number.
    enum Name: Hashable, Sendable {
        case text(String)
        case number(Int)
    }

    /// Makes fields without values.
    init() {}

    /// Reads a JSON object, or a bare value of the topic's required field.
    init(_ body: String, topic: RequestTopic) throws(ContractError) {
        guard let bare = RequestBody.bare(body) else {
            self = try RequestBody.fields(body, as: ProductFields.self)
            if topic == .fetchProduct, product == nil { try takeProductFromID() }
            return
        }
        guard !bare.isEmpty else { return }
        guard let number = Int(bare) else {
            throw ContractError(.badRequest, "\(topic.bareField) must be a number", field: topic.bareField)
        }
        switch topic {
        case .fetchProducts: page = number
        case .fetchCatalogue: perPage = number
        case .fetchProduct, .productModify, .productRemove: product = number
        case .productRegister: throw ContractError(.badRequest, "the body is not a JSON object", field: "body")
        case .fetchDay, .fetchWeek, .fetchMovie: break
        }
    }

    /// Moves `id` to `product`: in `fetch.product`, `id` is the product's number instead of the request's id.
    private mutating func takeProductFromID() throws(ContractError) {
        switch id {
        case nil: return
        case .number(let number): product = number
        case .text(let text):
            guard let number = Int(text) else {
                throw ContractError(.badRequest, "id must be a product's number", field: "id")
            }
            product = number
        }
        id = nil
    }
}

extension ProductFields.Name: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {  // the error would only say that it is not a number
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        }
    }
}

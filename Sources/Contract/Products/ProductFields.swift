import FoundationEssentials
import OpenMarket

/// The fields of a request about the shop, but for its secret, which is read apart and kept nowhere near them.
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

    /// What `id` says: a request's name, or where a product is asked for without `product`, that product's number.
    enum Name: Hashable, Sendable {
        case text(String)
        case number(Int)
    }

    /// Makes fields that are all left out.
    init() {}

    /// Reads a JSON object, or a bare value that stands for the topic's one needed field.
    init(_ body: String, topic: RequestTopic) throws(ContractError) {
        guard let bare = RequestBody.bare(body) else {
            self = try RequestBody.fields(body, as: ProductFields.self)
            if topic == .fetchProduct, product == nil { try takeProductFromID() }
            return
        }
        guard !bare.isEmpty else { return }
        guard let number = Int(bare) else {
            throw ContractError(.badRequest, "\(topic.bareField) is a number", field: topic.bareField)
        }
        switch topic {
        case .fetchProducts: page = number
        case .fetchCatalogue: perPage = number
        case .fetchProduct, .productModify, .productRemove: product = number
        case .productRegister: throw ContractError(.badRequest, "the body is no JSON object", field: "body")
        case .fetchDay, .fetchWeek, .fetchMovie: break
        }
    }

    /// The contract's `fetch.product` calls the product `id`, as other requests call themselves.
    private mutating func takeProductFromID() throws(ContractError) {
        switch id {
        case nil: return
        case .number(let number): product = number
        case .text(let text):
            guard let number = Int(text) else {
                throw ContractError(.badRequest, "id is a product's number", field: "id")
            }
            product = number
        }
        id = nil
    }
}

extension ProductFields.Name: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {  // its error would only say: no number
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

import FoundationEssentials
import OpenMarket

/// The `params` of a registration.
struct MarketDraft: Encodable {
    let name: String
    /// Of the third generation.
    let descriptions: String?
    /// Of the fourth generation.
    let description: String?
    let price: Decimal
    let currency: Currency
    let discount: Decimal
    let stock: Int
    let secret: String

    private enum CodingKeys: String, CodingKey {
        case name
        case descriptions
        case description
        case price
        case currency
        case discount = "discounted_price"
        case stock
        case secret
    }

    init(_ draft: ProductDraft, generation: OpenMarketAPI.Generation, secret: String) {
        name = draft.name
        descriptions = generation == .v3 ? draft.description : nil
        description = generation == .v4 ? draft.description : nil
        price = draft.price
        currency = draft.currency
        discount = draft.discount
        stock = draft.stock
        self.secret = secret
    }
}

/// The body of a change; what is nil is left out.
struct MarketChange: Encodable {
    let name: String?
    let descriptions: String?
    let description: String?
    let thumbnail: Int?
    let price: Decimal?
    let currency: Currency?
    let discount: Decimal?
    let stock: Int?
    let secret: String

    private enum CodingKeys: String, CodingKey {
        case name
        case descriptions
        case description
        case thumbnail = "thumbnail_id"
        case price
        case currency
        case discount = "discounted_price"
        case stock
        case secret
    }

    init(_ change: ProductChange, generation: OpenMarketAPI.Generation, secret: String) {
        name = change.name
        descriptions = generation == .v3 ? change.description : nil
        description = generation == .v4 ? change.description : nil
        thumbnail = change.thumbnail
        price = change.price
        currency = change.currency
        discount = change.discount
        stock = change.stock
        self.secret = secret
    }
}

/// The body of a question that only the vendor may ask.
struct MarketSecret: Encodable {
    let secret: String

    init(_ secret: String) {
        self.secret = secret
    }
}

extension Encodable {
    /// The value as the JSON that the market reads.
    fileprivate var encoded: Data {
        do {
            return try JSONEncoder().encode(self)
        } catch {
            preconditionFailure("\(Self.self) is text and finite numbers, and has JSON: \(error)")
        }
    }
}

extension MarketDraft {
    var json: Data { encoded }
}

extension MarketChange {
    var json: Data { encoded }
}

extension MarketSecret {
    var json: Data { encoded }
}

import FoundationEssentials
import OpenMarket

/// A request body in JSON: the `params` of a registration, the body of a change, or the secret alone, which is an empty
/// change. Fields that are nil are left out.
struct OpenMarketRequestBody: Encodable {
    private let name: String?
    /// Sent to the third generation.
    private let descriptions: String?
    /// Sent to the fourth generation.
    private let description: String?
    private let thumbnail: Int?
    private let price: Decimal?
    private let currency: Currency?
    private let discount: Decimal?
    private let stock: Int?
    private let secret: String

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

    init(_ draft: ProductDraft, generation: OpenMarketAPI.Generation, secret: String) {
        name = draft.name
        descriptions = generation == .v3 ? draft.description : nil
        description = generation == .v4 ? draft.description : nil
        thumbnail = nil
        price = draft.price
        currency = draft.currency
        discount = draft.discount
        stock = draft.stock
        self.secret = secret
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

    var json: Data {
        do {
            return try JSONEncoder().encode(self)
        } catch {
            preconditionFailure(
                "OpenMarketRequestBody holds only text and finite numbers, but cannot be encoded: \(error)")
        }
    }
}

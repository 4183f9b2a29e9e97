import FoundationEssentials
import OpenMarket

/// A product as the market sends it, in a list or by itself, of either generation.
struct OpenMarketProduct: Decodable {
    struct Image: Decodable {
        let id: Int
        let url: String
        let thumbnailURL: String

        private enum CodingKeys: String, CodingKey {
            case id
            case url
            case thumbnailURL = "thumbnail_url"
        }
    }

    struct Vendor: Decodable {
        let id: Int
        let name: String?
    }

    let id: ProductID
    let vendorID: Int?
    /// In lists of the fourth generation.
    let vendorName: String?
    let name: String
    /// Not in lists of the third generation, nor in its earliest products.
    let description: String?
    let thumbnail: String?
    let currency: Currency
    let price: Decimal
    let bargainPrice: Decimal?
    let discount: Decimal?
    let stock: Int
    let created: OpenMarketTime
    let issued: OpenMarketTime
    /// In products by themselves.
    let images: [Image]?
    let vendors: Vendor?

    private enum CodingKeys: String, CodingKey {
        case id
        case vendorID = "vendor_id"
        case vendorName
        case name
        case description
        case thumbnail
        case currency
        case price
        case bargainPrice = "bargain_price"
        case discount = "discounted_price"
        case stock
        case created = "created_at"
        case issued = "issued_at"
        case images
        case vendors
    }

    /// The product in the domain's words.
    var product: Product {
        let discount = discount ?? bargainPrice.map { price - $0 } ?? 0
        return Product(
            id: id, vendor: Product.Vendor(id: vendors?.id ?? vendorID ?? 0, name: vendors?.name ?? vendorName),
            name: name.clean, description: description, thumbnailURL: thumbnail ?? "", currency: currency, price: price,
            discount: discount, bargainPrice: bargainPrice ?? price - discount, stock: stock, created: created,
            issued: issued,
            images: images?.map { Product.Image(id: $0.id, url: $0.url, thumbnailURL: $0.thumbnailURL) })
    }
}

/// A page of the list as the market sends it.
struct OpenMarketPage: Decodable {
    let products: [OpenMarketProduct]
    let total: Int?
    let last: Int?

    /// The two generations spell the keys around the products differently.
    private enum CodingKeys: String, CodingKey {
        case pages
        case total3 = "total_count"
        case total4 = "totalCount"
        case last3 = "last_page"
        case last4 = "lastPage"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        products = try container.decode([OpenMarketProduct].self, forKey: .pages)
        total =
            try container.decodeIfPresent(Int.self, forKey: .total3)
            ?? container.decodeIfPresent(Int.self, forKey: .total4)
        last =
            try container.decodeIfPresent(Int.self, forKey: .last3)
            ?? container.decodeIfPresent(Int.self, forKey: .last4)
    }

    /// The page in the domain's words; what the market says of the page's own number is not believed.
    func page(_ number: Int, perPage: Int) -> ProductPage {
        let total = max(0, total ?? products.count)
        return ProductPage(
            page: number, perPage: perPage, total: total, lastPage: last ?? max(1, (total + perPage - 1) / perPage),
            products: products.map(\.product))
    }
}

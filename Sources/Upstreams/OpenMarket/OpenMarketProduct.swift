import FoundationEssentials
import OpenMarket
import Text

/// A product as the service sends it, in a list or alone, in either generation.
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
    /// Sent only in lists of the fourth generation.
    let vendorName: String?
    let name: String
    /// Missing in lists of the third generation and in its oldest products.
    let description: String?
    let thumbnail: String?
    let currency: Currency
    let price: Decimal
    let bargainPrice: Decimal?
    let discount: Decimal?
    let stock: Int
    let created: OpenMarketTime
    let issued: OpenMarketTime
    /// Sent only with a single product.
    let images: [Image]?
    let vendors: Vendor?
    let unreadable: [UnreadableField]

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

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let unreadable = UnreadableFields()
        id = try container.decode(ProductID.self, forKey: .id)
        name = try container.decode(String.self, forKey: .name)
        currency = try container.decode(Currency.self, forKey: .currency)
        price = try container.decode(Decimal.self, forKey: .price)
        // If one of these is missing it follows from the other; one that is there and unreadable would be invented.
        bargainPrice = try container.decodeIfPresent(Decimal.self, forKey: .bargainPrice)
        discount = try container.decodeIfPresent(Decimal.self, forKey: .discount)
        stock = try container.decode(Int.self, forKey: .stock)
        created = try container.decode(OpenMarketTime.self, forKey: .created)
        issued = try container.decode(OpenMarketTime.self, forKey: .issued)
        vendorID = unreadable.optional(container, .vendorID)
        vendorName = unreadable.optional(container, .vendorName)
        description = unreadable.optional(container, .description)
        thumbnail = unreadable.optional(container, .thumbnail)
        let images: ReadableElements<Image>? = unreadable.optional(container, .images)
        self.images = images.map(unreadable.values)
        vendors = unreadable.optional(container, .vendors)
        self.unreadable = unreadable.fields
    }

    var product: Product {
        let discount = discount ?? bargainPrice.map { price - $0 } ?? 0
        return Product(
            id: id,
            vendor: Product.Vendor(id: vendors?.id ?? vendorID ?? 0, name: (vendors?.name ?? vendorName)?.clean),
            name: name.clean, description: description?.cleanLines, thumbnailURL: thumbnail?.clean ?? "",
            currency: currency, price: price, discount: discount, bargainPrice: bargainPrice ?? price - discount,
            stock: stock, created: created, issued: issued,
            images: images?.map { Product.Image(id: $0.id, url: $0.url.clean, thumbnailURL: $0.thumbnailURL.clean) })
    }
}

/// A page of the list as the service sends it.
struct OpenMarketPage: Decodable {
    let products: [OpenMarketProduct]
    let total: Int?
    let last: Int?
    let unreadable: [UnreadableField]

    /// The two generations spell the keys beside the products differently.
    private enum CodingKeys: String, CodingKey {
        case pages
        case total3 = "total_count"
        case total4 = "totalCount"
        case last3 = "last_page"
        case last4 = "lastPage"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let unreadable = UnreadableFields()
        products = try container.decode([OpenMarketProduct].self, forKey: .pages)
        for product in products { unreadable.add(product.unreadable) }
        func number(_ third: CodingKeys, _ fourth: CodingKeys) -> Int? {
            let number: Int? = unreadable.optional(container, third) ?? unreadable.optional(container, fourth)
            return number.flatMap { Self.numbers.contains($0) ? $0 : nil }
        }
        total = number(.total3, .total4)
        last = number(.last3, .last4)
        self.unreadable = unreadable.fields
    }

    /// The numbers of products and of pages that can be; others count as missing.
    private static let numbers = 0...1_000_000_000

    /// Returns the page as a domain value. The page number in the reply is ignored, because it can be wrong.
    func page(_ number: Int, perPage: Int) -> Reading<ProductPage> {
        let total = total ?? products.count
        let page = ProductPage(
            // Fits: a total is at most 10^9, and a page has at most 100 products.
            page: number, perPage: perPage, total: total, lastPage: last ?? max(1, (total + perPage - 1) / perPage),
            products: products.map(\.product))
        return Reading(value: page, unreadable: unreadable)
    }
}

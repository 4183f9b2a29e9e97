import FoundationEssentials
import OpenMarket
import Text

/// A product as the service sends it.
struct OpenMarketProduct: Decodable {
    private struct Image: Decodable {
        let id: Int
        let url: String
        let thumbnailURL: String

        private enum CodingKeys: String, CodingKey {
            case id, url
            case thumbnailURL = "thumbnail_url"
        }
    }

    private struct Vendor: Decodable {
        let id: Int
        let name: String?
    }

    let product: Product
    let unreadable: [UnreadableField]

    private enum CodingKeys: String, CodingKey {
        case id, name, description, thumbnail, currency, price, stock, images, vendors
        case vendorID = "vendor_id"
        case bargainPrice = "bargain_price"
        case discount = "discounted_price"
        case created = "created_at"
        case issued = "issued_at"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let unreadable = UnreadableFields()
        let price = try container.decode(Decimal.self, forKey: .price)
        // If one of these is missing it follows from the other; one that is there and unreadable would be invented.
        let bargainPrice = try container.decodeIfPresent(Decimal.self, forKey: .bargainPrice)
        let discount =
            try container.decodeIfPresent(Decimal.self, forKey: .discount) ?? bargainPrice.map { price - $0 } ?? 0
        let vendorID: Int? = unreadable.optional(container, .vendorID)
        // Missing in lists and in the oldest products; images are missing in lists.
        let description: String? = unreadable.optional(container, .description)
        let thumbnail: String? = unreadable.optional(container, .thumbnail)
        let images: ReadableElements<Image>? = unreadable.optional(container, .images)
        let readableImages = images.map(unreadable.values)
        let vendor: Vendor? = unreadable.optional(container, .vendors)
        product = Product(
            id: try container.decode(ProductID.self, forKey: .id),
            vendor: Product.Vendor(id: vendor?.id ?? vendorID ?? 0, name: vendor?.name?.clean),
            name: try container.decode(String.self, forKey: .name).clean, description: description?.cleanLines,
            thumbnailURL: thumbnail?.clean ?? "", currency: try container.decode(Currency.self, forKey: .currency),
            price: price, discount: discount, bargainPrice: bargainPrice ?? price - discount,
            stock: try container.decode(Int.self, forKey: .stock),
            created: try container.decode(OpenMarketTime.self, forKey: .created),
            issued: try container.decode(OpenMarketTime.self, forKey: .issued),
            images: readableImages?.map {
                Product.Image(id: $0.id, url: $0.url.clean, thumbnailURL: $0.thumbnailURL.clean)
            })
        self.unreadable = unreadable.fields
    }
}

/// A page of the list as the service sends it.
struct OpenMarketPage: Decodable {
    let products: [OpenMarketProduct]
    let total, last: Int?
    let unreadable: [UnreadableField]

    private enum CodingKeys: String, CodingKey {
        case pages
        case total = "total_count"
        case last = "last_page"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let unreadable = UnreadableFields()
        products = try container.decode([OpenMarketProduct].self, forKey: .pages)
        for product in products { unreadable.add(product.unreadable) }
        func number(_ key: CodingKeys) -> Int? {
            let number: Int? = unreadable.optional(container, key)
            return number.flatMap { Self.numbers.contains($0) ? $0 : nil }
        }
        total = number(.total)
        last = number(.last)
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

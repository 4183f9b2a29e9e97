import FoundationEssentials
import OpenMarket

/// A product as the market sends it, in a list or by itself, of either generation.
struct MarketProduct: Decodable {
    struct Picture: Decodable {
        let id: Int
        let url: String
        let thumbnail_url: String
    }

    struct Vendor: Decodable {
        let id: Int
        let name: String?
    }

    let id: ProductID
    let vendor_id: Int?
    /// In lists of the fourth generation.
    let vendorName: String?
    let name: String
    /// Not in lists of the third generation, nor in its earliest products.
    let description: String?
    let thumbnail: String?
    let currency: Currency
    let price: Decimal
    let bargain_price: Decimal?
    let discounted_price: Decimal?
    let stock: Int
    let created_at: MarketTime
    let issued_at: MarketTime
    /// In products by themselves.
    let images: [Picture]?
    let vendors: Vendor?

    /// The product in the domain's words.
    var product: Product {
        let discount = discounted_price ?? bargain_price.map { price - $0 } ?? 0
        return Product(
            id: id, vendor: Product.Vendor(id: vendors?.id ?? vendor_id ?? 0, name: vendors?.name ?? vendorName),
            name: name.clean, description: description, thumbnailURL: thumbnail ?? "", currency: currency, price: price,
            discount: discount, bargainPrice: bargain_price ?? price - discount, stock: stock, created: created_at,
            issued: issued_at,
            pictures: images?.map { Product.Picture(id: $0.id, url: $0.url, thumbnailURL: $0.thumbnail_url) })
    }
}

/// A page of the list as the market sends it; the two generations spell the keys around the products differently.
struct MarketPage: Decodable {
    let pages: [MarketProduct]
    let total_count: Int?
    let last_page: Int?
    let totalCount: Int?
    let lastPage: Int?

    /// The page in the domain's words; what the market says of the page's own number is not believed.
    func page(_ number: Int, perPage: Int) -> ProductPage {
        let total = max(0, total_count ?? totalCount ?? pages.count)
        return ProductPage(
            page: number, perPage: perPage, total: total,
            lastPage: last_page ?? lastPage ?? max(1, (total + perPage - 1) / perPage), products: pages.map(\.product))
    }
}

import BoxOffice
import FoundationEssentials
import JSONCoding
import WebServer

/// Encodes the responses of one generation of the market, with the recorded order of keys and formats.
struct OpenMarketResponseEncoder: Sendable {
    let generation: OpenMarketHandler.Generation
    /// The base URL of the market's images.
    let base: String
    let now: Date

    /// Returns the response with one product. The response to a change has no images.
    func response(_ product: SimulatedShop.Product, status: Int = 200, withImages: Bool = true) -> WebResponse {
        .json(JSONTree.object(fields(of: product, isInList: false, withImages: withImages)).json, status: status)
    }

    /// Returns the response with a page of the list.
    func response(_ products: [SimulatedShop.Product], page: Int, size: Int, total: Int) -> WebResponse {
        let last = (total + size - 1) / size
        let isV3 = generation == .v3
        return .json(
            JSONTree.object([
                (isV3 ? "page_no" : "pageNo", .number(page)),
                (isV3 ? "items_per_page" : "itemsPerPage", .number(size)),
                (isV3 ? "total_count" : "totalCount", .number(total)),
                ("offset", .number((page - 1) * size)), ("limit", .number(page * size)),
                (isV3 ? "last_page" : "lastPage", .number(last)),
                (isV3 ? "has_next" : "hasNext", .bool(page < last)),
                (isV3 ? "has_prev" : "hasPrev", .bool(page > 1)),
                ("pages", .array(products.map { .object(fields(of: $0, isInList: true, withImages: false)) })),
            ]).json)
    }

    private func fields(of product: SimulatedShop.Product, isInList: Bool, withImages: Bool) -> [(String, JSONTree)] {
        let thumbnail = product.images.first { $0.id == product.thumbnail } ?? product.images[0]
        var fields: [(String, JSONTree)] = [("id", .number(product.id)), ("vendor_id", .number(product.vendor.id))]
        if isInList, generation == .v4 { fields.append(("vendorName", .string(product.vendor.name))) }
        fields.append(("name", .string(product.name)))
        if !isInList || generation == .v4 { fields.append(("description", .string(product.description))) }
        fields += [
            ("thumbnail", .string(address(of: thumbnail, "thumb"))), ("currency", .string(product.currency)),
            ("price", .real(product.price)), ("bargain_price", .real(bargain(product))),
            ("discounted_price", .real(product.discount)), ("stock", .number(product.stock)),
            ("created_at", .string(text(of: product.created))), ("issued_at", .string(text(of: product.issued))),
        ]
        if withImages { fields.append(("images", .array(product.images.map { image($0, of: product) }))) }
        if !isInList {
            fields.append(
                ("vendors", .object([("id", .number(product.vendor.id)), ("name", .string(product.vendor.name))])))
        }
        return fields
    }

    private func image(_ image: SimulatedShop.Image, of product: SimulatedShop.Product) -> JSONTree {
        var fields: [(String, JSONTree)] = [
            ("id", .number(image.id)), ("url", .string(address(of: image, "origin"))),
            ("thumbnail_url", .string(address(of: image, "thumb"))),
        ]
        if generation == .v3 { fields.append(("succeed", .bool(true))) }
        return .object(fields + [("issued_at", .string(text(of: product.created)))])
    }

    private func address(of image: SimulatedShop.Image, _ size: String) -> String {
        "\(base)/media/\(size)/\(image.name)"
    }

    /// Returns the price after the discount, rounded to cents as in the market: 999.99 − 99.99 is 900, not 899.9999….
    private func bargain(_ product: SimulatedShop.Product) -> Double {
        ((product.price - product.discount) * 100).rounded() / 100
    }

    /// Returns a time in the format of the generation: a day; the third generation adds the time if the day is today, and
    /// repeats the seconds as the fraction.
    private func text(of instant: Date) -> String {
        let day = KoreanDate(at: instant)
        guard generation == .v3 else { return "\(day)T00:00:00" }
        guard day == KoreanDate(at: now) else { return "\(day)T00:00:00.00" }
        let seconds = Int(instant.timeIntervalSince(day.start))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(day)T\(two(seconds / 3_600)):\(two(seconds / 60 % 60)):\(two(seconds % 60)).\(two(seconds % 60))"
    }
}

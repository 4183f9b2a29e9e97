import WebServer

/// A vendor's registration or change of a product. A field that is nil keeps its value.
struct ProductForm: Decodable, Sendable {
    let name: String?
    /// The description in the third generation.
    let descriptions: String?
    /// The description in the fourth generation.
    let description: String?
    let thumbnail: Int?
    let price: Double?
    let currency: String?
    let discount: Double?
    let stock: Int?
    let secret: String?

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

    /// Returns the description under the key of `generation`; it ignores the other key.
    func description(in generation: OpenMarketHandler.Generation) -> String? {
        generation == .v3 ? descriptions : description
    }

    var isEmpty: Bool {
        name == nil && descriptions == nil && description == nil && thumbnail == nil && price == nil && currency == nil
            && discount == nil && stock == nil
    }

    var isValid: Bool {
        currency.map { ["KRW", "USD"].contains($0) } ?? true && price ?? 0 >= 0 && stock ?? 0 >= 0
    }

    func apply(to product: inout SimulatedShop.Product) {
        product.name = name ?? product.name
        product.description = descriptions ?? description ?? product.description
        product.currency = currency ?? product.currency
        product.price = price ?? product.price
        product.discount = discount ?? product.discount
        product.stock = stock ?? product.stock
        if let thumbnail, product.images.contains(where: { $0.id == thumbnail }) { product.thumbnail = thumbnail }
    }
}

/// The parts of a `multipart/form-data` body (RFC 7578).
struct MultipartForm {
    struct Part {
        let name: String
        let bytes: [UInt8]
    }

    let parts: [Part]

    /// Parses a request's body. Returns nil if it is not a form or is truncated.
    init?(_ request: WebRequest) {
        let type = request.header("Content-Type") ?? ""
        guard type.lowercased().hasPrefix("multipart/form-data"), let mark = type.firstRange(of: "boundary=") else {
            return nil
        }
        let boundary = type[mark.upperBound...].prefix { $0 != ";" }.filter { $0 != "\"" }
        let delimiter = Array("--\(boundary)".utf8)
        guard !boundary.isEmpty else { return nil }
        let body = request.body
        guard body.starts(with: delimiter) else { return nil }
        var parts: [Part] = []
        var position = delimiter.count
        while !body[position...].starts(with: Array("--".utf8)) {
            let rest = body[position...]
            guard rest.starts(with: Array("\r\n".utf8)), let end = rest.firstRange(of: Array("\r\n".utf8) + delimiter),
                let part = Part(rest[(position + 2)..<end.lowerBound])
            else { return nil }
            parts.append(part)
            position = end.upperBound
        }
        self.parts = parts
    }

    func contents(_ name: String) -> [[UInt8]] {
        parts.filter { $0.name == name }.map(\.bytes)
    }
}

extension MultipartForm.Part {
    fileprivate init?(_ bytes: ArraySlice<UInt8>) {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        guard let mark = head.firstRange(of: "name=\"") else { return nil }
        name = String(head[mark.upperBound...].prefix { $0 != "\"" })
        self.bytes = Array(bytes[end.upperBound...])
    }
}

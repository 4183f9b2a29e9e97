import FoundationEssentials
import WebServer

/// The products and vendors of the simulated Open Market. They are generated at the start and kept in memory only.
struct SimulatedShop: Sendable {
    struct Vendor: Hashable, Sendable {
        let id: Int
        let name: String
        let identifier: String
        let secret: String
    }

    struct Image: Hashable, Sendable {
        let id: Int
        let name: String
    }

    struct Product: Sendable {
        let id: Int
        let vendor: Vendor
        var name: String
        var description: String
        var currency: String
        var price: Double
        var discount: Double
        var stock: Int
        let created: Date
        var issued: Date
        var images: [Image]
        var thumbnail: Int
        /// The secret that removes the product; only its vendor gets it.
        let removalSecret: String
    }

    /// The limit of memory for uploaded images, in bytes.
    static let maximumUploadBytes = 64 << 20

    private(set) var products: [Int: Product] = [:]
    private(set) var uploads: [String: [UInt8]] = [:]
    private var lastProduct = 0
    private var lastImage = 0
    private let random: SeededRandom

    init(seed: UInt64, opened: Date) {
        random = SeededRandom(seed: seed).branch(7)
        for number in 1...45 {
            // Ids have gaps, as if products had been removed.
            lastProduct += number.isMultiple(of: 7) ? 2 : 1
            let images = (0..<1 + number % 3).map { _ in nextImage() }
            products[lastProduct] = generatedProduct(lastProduct, opened: opened, images: images)
        }
    }

    func hasRoom(for bytes: Int) -> Bool {
        uploads.values.reduce(bytes) { $0 + $1.count } <= Self.maximumUploadBytes
    }

    mutating func register(_ form: ProductForm, images: [[UInt8]], by vendor: Vendor, at instant: Date) -> Product {
        lastProduct += 1
        let stored = images.map { bytes in
            let image = nextImage()
            uploads[image.name] = bytes
            return image
        }
        var product = Product(
            id: lastProduct, vendor: vendor, name: "", description: "", currency: "KRW", price: 0, discount: 0,
            stock: 0, created: instant, issued: instant, images: stored, thumbnail: stored[0].id,
            removalSecret: removalSecret(of: lastProduct))
        form.apply(to: &product)
        products[product.id] = product
        return product
    }

    mutating func modify(_ id: Int, _ form: ProductForm, at instant: Date) -> Product? {
        guard var product = products[id] else { return nil }
        form.apply(to: &product)
        if !form.isEmpty { product.issued = instant }
        products[id] = product
        return product
    }

    mutating func remove(_ id: Int) -> Product? {
        let product = products.removeValue(forKey: id)
        for image in product?.images ?? [] { uploads[image.name] = nil }
        return product
    }

    private mutating func nextImage() -> Image {
        lastImage += 1
        var random = random.branch(-lastImage)
        return Image(id: lastImage, name: String(random.next(), radix: 16))
    }

    private func removalSecret(of id: Int) -> String {
        var random = random.branch(id).branch(1)
        return String(random.next(), radix: 36)
    }
}

// MARK: - Generated products

extension SimulatedShop {
    /// The vendors; clients have the identifier of the first one.
    static let vendors: [Vendor] =
        [
            Vendor(
                id: 1, name: "marquee", identifier: SandboxOptions.anyOpenMarketIdentifier,
                secret: SandboxOptions.anyOpenMarketSecret)
        ]
        + ["wongbing", "dacodaco", "safari123", "제인", "OmarketTeam"].enumerated().map {
            Vendor(
                id: $0 + 2, name: $1, identifier: "00000000-0000-4000-8000-00000000000\($0 + 2)",
                secret: "other-vendor-\($0 + 2)")
        }

    private func generatedProduct(_ id: Int, opened: Date, images: [Image]) -> Product {
        var random = random.branch(id)
        let isDollar = random.chance(0.2)
        let price =
            isDollar ? Double(random.integer(in: 199...99_999)) / 100 : Double(random.integer(in: 10...2_000) * 1_000)
        let discount = random.chance(0.4) ? (isDollar ? 1 : (price / 10_000).rounded(.down) * 1_000) : 0
        let day = opened.addingTimeInterval(-86_400 * Double(random.integer(in: 1...200)))
        return Product(
            id: id, vendor: random.pick(Self.vendors),
            name: "\(random.pick(Self.qualities)) \(random.pick(Self.things))",
            description: "\(random.pick(Self.praises)) 문의는 언제든지 환영합니다.", currency: isDollar ? "USD" : "KRW",
            price: price, discount: discount, stock: random.chance(0.2) ? 0 : random.integer(in: 1...500), created: day,
            issued: day, images: images, thumbnail: images[0].id, removalSecret: removalSecret(of: id))
    }

    private static let qualities = ["새", "따뜻한", "가벼운", "깨끗한", "한정판", "손으로 만든", "거의 새", "튼튼한"]
    private static let things = ["외투", "팥빙수", "무선 이어폰", "책상", "자전거", "기타", "찻잔", "우산", "목도리 🧣", "키보드"]
    private static let praises = ["상태가 아주 좋습니다.", "한 번도 쓰지 않았습니다.", "색이 참 곱습니다.", "선물로 좋습니다."]
}

// MARK: - Requests

/// A vendor's registration or change of a product. A field that is nil keeps its value.
struct ProductForm: Decodable, Sendable {
    let name, description, currency, secret: String?
    let thumbnail, stock: Int?
    let price, discount: Double?

    private enum CodingKeys: String, CodingKey {
        case name, price, currency, stock, secret
        case description = "descriptions"
        case thumbnail = "thumbnail_id"
        case discount = "discounted_price"
    }

    var isEmpty: Bool {
        name == nil && description == nil && thumbnail == nil && price == nil && currency == nil && discount == nil
            && stock == nil
    }

    var isValid: Bool {
        currency.map { ["KRW", "USD"].contains($0) } ?? true && price ?? 0 >= 0 && stock ?? 0 >= 0
    }

    func apply(to product: inout SimulatedShop.Product) {
        product.name = name ?? product.name
        product.description = description ?? product.description
        product.currency = currency ?? product.currency
        product.price = price ?? product.price
        product.discount = discount ?? product.discount
        product.stock = stock ?? product.stock
        if let thumbnail, product.images.contains(where: { $0.id == thumbnail }) { product.thumbnail = thumbnail }
    }
}

/// The parts of a `multipart/form-data` body (RFC 7578).
struct MultipartForm {
    private struct Part {
        let name: String
        let bytes: [UInt8]

        init?(_ bytes: ArraySlice<UInt8>) {
            guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
            let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
            guard let mark = head.firstRange(of: "name=\"") else { return nil }
            name = String(head[mark.upperBound...].prefix { $0 != "\"" })
            self.bytes = Array(bytes[end.upperBound...])
        }
    }

    private var parts: [Part] = []

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
        var position = delimiter.count
        while !body[position...].starts(with: Array("--".utf8)) {
            let rest = body[position...]
            guard rest.starts(with: Array("\r\n".utf8)), let end = rest.firstRange(of: Array("\r\n".utf8) + delimiter),
                let part = Part(rest[(position + 2)..<end.lowerBound])
            else { return nil }
            parts.append(part)
            position = end.upperBound
        }
    }

    func contents(_ name: String) -> [[UInt8]] {
        parts.filter { $0.name == name }.map(\.bytes)
    }
}

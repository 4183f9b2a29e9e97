import FoundationEssentials

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
        /// The file name in the image's address; unique in the store.
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
        /// The id of the thumbnail's image.
        var thumbnail: Int
        /// The secret that removes the product; only its vendor gets it.
        let removalSecret: String
    }

    /// The limit of memory for uploaded images, in bytes.
    static let maximumUploadBytes = 64 << 20

    private(set) var products: [Int: Product] = [:]
    private(set) var uploads: [String: [UInt8]] = [:]
    private let vendors: [Vendor]
    private var lastProduct = 0
    private var lastImage = 0
    private let random: SeededRandom

    /// Generates 45 products of `vendors`; clients have the identifier of the first vendor.
    init(seed: UInt64, vendors: [Vendor], opened: Date) {
        random = SeededRandom(seed: seed).branch(7)
        self.vendors = vendors
        for number in 1...45 {
            // Ids have gaps, as if products had been removed.
            lastProduct += number.isMultiple(of: 7) ? 2 : 1
            let product = OpenMarketSeedData.product(
                lastProduct, of: vendors, opened: opened, random: random.branch(lastProduct),
                images: (0..<1 + number % 3).map { _ in nextImage() }, removalSecret: removalSecret(of: lastProduct)
            )
            products[product.id] = product
        }
    }

    func vendor(_ identifier: String) -> Vendor? {
        vendors.first { $0.identifier == identifier }
    }

    /// Whether the store can keep another `bytes` bytes of images.
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

    /// Changes a product. Returns nil if it does not exist.
    mutating func modify(_ id: Int, _ form: ProductForm, at instant: Date) -> Product? {
        guard var product = products[id] else { return nil }
        form.apply(to: &product)
        if !form.isEmpty { product.issued = instant }
        products[id] = product
        return product
    }

    /// Removes a product and its images. Returns nil if it does not exist.
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

/// The vendors and products that the simulated Open Market starts with.
enum OpenMarketSeedData {
    /// The vendors whose identifiers clients do not have.
    static let otherVendors = ["wongbing", "dacodaco", "safari123", "제인", "OmarketTeam"].enumerated().map {
        SimulatedShop.Vendor(
            id: $0 + 2, name: $1, identifier: "00000000-0000-4000-8000-00000000000\($0 + 2)",
            secret: "other-vendor-\($0 + 2)"
        )
    }

    /// Generates product `id` from `random`.
    static func product(
        _ id: Int, of vendors: [SimulatedShop.Vendor], opened: Date, random: SeededRandom,
        images: [SimulatedShop.Image], removalSecret: String
    ) -> SimulatedShop.Product {
        var random = random
        let isDollar = random.chance(0.2)
        let price =
            isDollar ? Double(random.integer(in: 199...99_999)) / 100 : Double(random.integer(in: 10...2_000) * 1_000)
        let discount = random.chance(0.4) ? (isDollar ? 1 : (price / 10_000).rounded(.down) * 1_000) : 0
        let day = opened.addingTimeInterval(-86_400 * Double(random.integer(in: 1...200)))
        return SimulatedShop.Product(
            id: id, vendor: random.pick(vendors), name: "\(random.pick(qualities)) \(random.pick(things))",
            description: "\(random.pick(praises)) 문의는 언제든지 환영합니다.", currency: isDollar ? "USD" : "KRW", price: price,
            discount: discount, stock: random.chance(0.2) ? 0 : random.integer(in: 1...500), created: day, issued: day,
            images: images, thumbnail: images[0].id, removalSecret: removalSecret)
    }

    private static let qualities = ["새", "따뜻한", "가벼운", "깨끗한", "한정판", "손으로 만든", "거의 새", "튼튼한"]
    private static let things = ["외투", "팥빙수", "무선 이어폰", "책상", "자전거", "기타", "찻잔", "우산", "목도리 🧣", "키보드"]
    private static let praises = ["상태가 아주 좋습니다.", "한 번도 쓰지 않았습니다.", "색이 참 곱습니다.", "선물로 좋습니다."]
}

import FoundationEssentials

/// What is for sale in the sandbox, and by whom: made up at the start, changed by what vendors do, forgotten at the end.
struct OpenMarketStore: Sendable {
    /// Somebody who sells.
    struct Vendor: Hashable, Sendable {
        let id: Int
        let name: String
        let identifier: String
        let secret: String
    }

    /// A picture of a product, by where it is served.
    struct Image: Hashable, Sendable {
        let id: Int
        /// The file's name, which pictures of one product share with no other.
        let name: String
    }

    /// Something for sale.
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
        /// Which picture stands for it.
        var thumbnail: Int
        /// What removes it, told to its vendor alone.
        let removalSecret: String
    }

    /// The pictures that were uploaded may take so much memory.
    static let mostBytes = 64 << 20

    private(set) var products: [Int: Product] = [:]
    private(set) var uploads: [String: [UInt8]] = [:]
    private let vendors: [Vendor]
    private var lastProduct = 0
    private var lastImage = 0
    private let dice: SeededRandom

    /// Makes a shop of some vendors' products; the first vendor is the one whose identifier clients have.
    init(seed: UInt64, vendors: [Vendor], opened: Date) {
        dice = SeededRandom(seed: seed).branch(7)
        self.vendors = vendors
        for number in 1...45 {
            // Ids have holes, where products were removed.
            lastProduct += number.isMultiple(of: 7) ? 2 : 1
            let product = OpenMarketSeedData.product(
                lastProduct, of: vendors, opened: opened, dice: dice.branch(lastProduct),
                images: (0..<1 + number % 3).map { _ in nextImage() }, removalSecret: removalSecret(of: lastProduct)
            )
            products[product.id] = product
        }
    }

    /// The vendor who has an identifier.
    func vendor(_ identifier: String) -> Vendor? {
        vendors.first { $0.identifier == identifier }
    }

    /// The products whose names hold `words`, the newest first.
    func list(matching words: String?) -> [Product] {
        products.values.filter { product in words.map { product.name.contains($0) } ?? true }.sorted { $0.id > $1.id }
    }

    /// Whether there is room for more pictures.
    func hasRoom(for bytes: Int) -> Bool {
        uploads.values.reduce(bytes) { $0 + $1.count } <= Self.mostBytes
    }

    /// Registers a product with its pictures.
    mutating func register(_ order: ProductForm, images: [[UInt8]], by vendor: Vendor, at instant: Date) -> Product {
        lastProduct += 1
        let stored = images.map { bytes in
            let image = nextImage()
            uploads[image.name] = bytes
            return image
        }
        var product = Product(
            id: lastProduct, vendor: vendor, name: "", description: "", currency: "KRW", price: 0, discount: 0,
            stock: 0,
            created: instant, issued: instant, images: stored, thumbnail: stored[0].id,
            removalSecret: removalSecret(of: lastProduct))
        order.apply(to: &product)
        products[product.id] = product
        return product
    }

    /// Changes a product.
    mutating func modify(_ id: Int, _ order: ProductForm, at instant: Date) -> Product? {
        guard var product = products[id] else { return nil }
        order.apply(to: &product)
        if !order.isEmpty { product.issued = instant }
        products[id] = product
        return product
    }

    /// Removes a product, and its pictures with it.
    mutating func remove(_ id: Int) -> Product? {
        let product = products.removeValue(forKey: id)
        for image in product?.images ?? [] { uploads[image.name] = nil }
        return product
    }

    private mutating func nextImage() -> Image {
        lastImage += 1
        var dice = dice.branch(-lastImage)
        return Image(id: lastImage, name: String(dice.next(), radix: 16))
    }

    private func removalSecret(of id: Int) -> String {
        var dice = dice.branch(id).branch(1)
        return String(dice.next(), radix: 36)
    }
}

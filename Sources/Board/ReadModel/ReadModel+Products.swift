import Contract
import Crypto
import FoundationEssentials
import JSONCoding
import OpenMarket
import Storage
import Text

extension ReadModel {
    /// A product as it is stored, as JSON with these keys.
    ///
    /// Most fields are from the last event about the product. Images and description are from the last event that had
    /// them, because the products of a page have none.
    struct StoredProduct: Codable {
        var product: Product
        /// Whether images and description are of the product's current version.
        var isWhole: Bool
        var isRemoved = false
        /// Time of the last event about the product, in milliseconds since 1970.
        var time: Int
    }

    /// Stores a page of the market: the ids of its products, and the fields that it has of them.
    func applyProductPage(_ event: Event, in connection: Connection) throws -> [LiveUpdate] {
        let page = try event.data(as: ProductPage.self)
        for product in page.products { try apply(product, event, in: connection) }
        var header = page
        header.products = []
        try connection.execute(
            """
            insert into product_page (page, per_page, time, header, products) values (?, ?, ?, ?, ?)
            on conflict do update set time = excluded.time, header = excluded.header, products = excluded.products
            """, page.page, page.perPage, event.time.ISO8601Format(), try JSON.encode(header),
            try JSON.encode(page.products.map(\.id)))
        return [try connection.addUpdate(.products, try JSON.encode(["page": page.page, "perPage": page.perPage]))]
    }

    func applyProduct(_ id: ProductID, _ event: Event, in connection: Connection) throws -> [LiveUpdate] {
        try apply(try event.data(as: Product.self), event, in: connection)
        return [try connection.addUpdate(.product, try JSON.encode(ProductUpdate(id: id, isRemoved: false)))]
    }

    /// Marks a product as removed; its fields stay stored.
    func applyRemoval(of id: ProductID, _ event: Event, in connection: Connection) throws -> [LiveUpdate] {
        if let product = try event.data(as: RemovedProduct.self).product {
            try apply(product, event, in: connection)
        }
        if var stored = try storedProduct(id, in: connection) {
            stored.isRemoved = true
            stored.time = event.time.millisecondsSince1970
            try write(stored, in: connection)
        }
        return [try connection.addUpdate(.product, try JSON.encode(ProductUpdate(id: id, isRemoved: true)))]
    }

    /// Returns a page of the market from its last event, with its products as they are now, as JSON; nil if not known.
    func productPage(_ page: Int, perPage: Int) async throws -> [UInt8]? {
        try await database.read { connection in
            let rows = try connection.query(
                "select time, header, products from product_page where page = ? and per_page = ?", page, perPage,
                as: String.self, [UInt8].self, [UInt8].self)
            guard let (time, header, products) = rows.first else { return nil }
            let shown = try JSON.decode([ProductID].self, from: products).compactMap { id in
                try storedProduct(id, in: connection).flatMap { $0.isRemoved ? nil : $0 }
            }
            return JSONObject([
                ("known", try JSON.encode(true)), ("time", try JSON.encode(time)), ("page", header),
                ("products", JSONObject.list(try shown.map { try Self.json(of: $0) })),
            ]).bytes
        }
    }

    func product(_ id: ProductID) async throws -> [UInt8]? {
        try await database.read { connection in try storedProduct(id, in: connection).map { try Self.json(of: $0) } }
    }

    /// Returns the URL of a product's image with this version; nil if there is none.
    func imageURL(of id: ProductID, version: String) async throws -> String? {
        let urls = try await database.read { connection in try storedProduct(id, in: connection)?.product.imageURLs }
        return urls?.first { imageVersion(of: $0) == version }
    }

    func hasProducts() async throws -> Bool {
        try await database.read { connection in
            try !connection.query("select id from product limit 1", as: Int.self).isEmpty
        }
    }

    private func apply(_ product: Product, _ event: Event, in connection: Connection) throws {
        let old = try storedProduct(product.id, in: connection)
        // Pages and products are two streams, so an older event may come after a newer one.
        if let old, old.time > event.time.millisecondsSince1970 { return }
        var new = StoredProduct(
            product: product, isWhole: product.images != nil, time: event.time.millisecondsSince1970)
        if product.images == nil, let old {
            // The product of a page has no images. The old ones are current if the product was not changed since.
            new.product.images = old.product.images
            new.product.description = product.description ?? old.product.description
            new.isWhole = old.isWhole && old.product.issued == product.issued
        }
        try write(new, in: connection)
    }

    func storedProduct(_ id: ProductID, in connection: Connection) throws -> StoredProduct? {
        try connection.query("select data from product where id = ?", id.number, as: [UInt8].self).first
            .map { try JSON.decode(StoredProduct.self, from: $0) }
    }

    private func write(_ stored: StoredProduct, in connection: Connection) throws {
        try connection.execute(
            "insert or replace into product (id, data) values (?, ?)", stored.product.id.number, try JSON.encode(stored)
        )
    }

    private static func json(of stored: StoredProduct) throws -> [UInt8] {
        JSONObject([
            ("known", try JSON.encode(true)),
            ("product", try JSON.encode(stored.product)),
            ("isWhole", try JSON.encode(stored.isWhole)),
            ("isRemoved", try JSON.encode(stored.isRemoved)),
            ("thumbnail", try JSON.encode(imageVersion(of: stored.product.thumbnailURL))),
            ("imageVersions", try JSON.encode((stored.product.images ?? []).map { imageVersion(of: $0.url) })),
        ]).bytes
    }
}

/// Returns what stands for another host's image in the board's own URLs: the first 16 hexadecimal digits of the SHA-256 of
/// its URL. So a visitor can only request images that an event has named.
private func imageVersion(of url: String) -> String {
    String(SHA256.hexDigest(of: Array(url.utf8)).prefix(16))
}

private struct ProductUpdate: Encodable {
    let id: ProductID
    let isRemoved: Bool
}

extension Product {
    fileprivate var imageURLs: [String] {
        [thumbnailURL] + (images ?? []).flatMap { [$0.url, $0.thumbnailURL] }
    }
}

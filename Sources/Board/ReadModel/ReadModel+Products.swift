import Contract
import FoundationEssentials
import JSONCoding
import OpenMarket
import SQLite

extension ReadModel {
    /// What is known of a product: as it was last told of, and what only its own event has, as that was.
    private struct Known: Codable {
        var product: Product
        /// Whether pictures and description are of the product as it is now.
        var isWhole: Bool
        /// Whether it is no longer in the market.
        var isRemoved = false
        /// When it was told, in milliseconds.
        var time: Int
    }

    /// Takes a page of the market in: which products stand on it, and what it says of them.
    func takePage(_ event: Event, in connection: Connection) throws -> [LiveUpdate] {
        let page = try event.data(as: ProductPage.self)
        for product in page.products { try take(product, event, in: connection) }
        var header = page
        header.products = []
        try connection.execute(
            """
            insert into product_page (page, per_page, time, header, products) values (?, ?, ?, ?, ?)
            on conflict do update set time = excluded.time, header = excluded.header, products = excluded.products
            """, page.page, page.perPage, event.time.ISO8601Format(), try JSON.encode(header),
            try JSON.encode(page.products.map(\.id)))
        return [try connection.addNews(.products, try JSON.encode(["page": page.page, "perPage": page.perPage]))]
    }

    /// Takes in what a product is.
    func takeProduct(_ id: ProductID, _ event: Event, in connection: Connection) throws -> [LiveUpdate] {
        try take(try event.data(as: Product.self), event, in: connection)
        return [try connection.addNews(.product, try JSON.encode(ProductNews(id: id, isRemoved: false)))]
    }

    /// Takes in that a product is gone; what it was stays known.
    func takeRemoval(_ id: ProductID, _ event: Event, in connection: Connection) throws -> [LiveUpdate] {
        if let product = try event.data(as: RemovedProduct.self).product {
            try take(product, event, in: connection)
        }
        if var known = try known(id, in: connection) {
            known.isRemoved = true
            known.time = event.milliseconds
            try write(known, in: connection)
        }
        return [try connection.addNews(.product, try JSON.encode(ProductNews(id: id, isRemoved: true)))]
    }

    /// A page of the market as it was last told, as JSON; nil if it never was.
    func productPage(_ page: Int, perPage: Int) async throws -> [UInt8]? {
        try await database.read { connection in
            let rows = try connection.query(
                "select time, header, products from product_page where page = ? and per_page = ?", page, perPage,
                as: String.self, [UInt8].self, [UInt8].self)
            guard let (time, header, products) = rows.first else { return nil }
            let shown = try JSON.decode([ProductID].self, from: products).compactMap { id in
                try known(id, in: connection).flatMap { $0.isRemoved ? nil : $0 }
            }
            return JSONObject([
                ("time", try JSON.encode(time)), ("page", header),
                ("products", JSONObject.list(try shown.map { try Self.json(of: $0) })),
            ]).bytes
        }
    }

    /// A product, as JSON; nil if it was never told of.
    func product(_ id: ProductID) async throws -> [UInt8]? {
        try await database.read { connection in try known(id, in: connection).map { try Self.json(of: $0) } }
    }

    /// Where a product's picture is that has this version; nil if it has none.
    func imageURL(of id: ProductID, version: String) async throws -> String? {
        let urls = try await database.read { connection in try known(id, in: connection)?.product.imageURLs }
        return urls?.first { ImageVersion(of: $0).description == version }
    }

    /// Whether the market has told of anything.
    func knowsProducts() async throws -> Bool {
        try await database.read { connection in
            try !connection.query("select id from product limit 1", as: Int.self).isEmpty
        }
    }

    /// Forgets the market.
    func forgetProducts(in connection: Connection) throws {
        try connection.execute("delete from product")
        try connection.execute("delete from product_page")
    }

    /// A list says less of a product than its own event: what it leaves out stays as it was known, and is of the product
    /// as it is now only if that was not changed since. Pages and products come in two streams, so an older event may
    /// come after a newer one; it counts for nothing.
    private func take(_ product: Product, _ event: Event, in connection: Connection) throws {
        let old = try known(product.id, in: connection)
        if let old, old.time > event.milliseconds { return }
        var new = Known(product: product, isWhole: product.images != nil, time: event.milliseconds)
        if product.images == nil, let old {
            new.product.images = old.product.images
            new.product.description = product.description ?? old.product.description
            new.isWhole = old.isWhole && old.product.issued == product.issued
        }
        try write(new, in: connection)
    }

    private func known(_ id: ProductID, in connection: Connection) throws -> Known? {
        try connection.query("select data from product where id = ?", id.number, as: [UInt8].self).first
            .map { try JSON.decode(Known.self, from: $0) }
    }

    private func write(_ known: Known, in connection: Connection) throws {
        try connection.execute(
            "insert or replace into product (id, data) values (?, ?)", known.product.id.number, try JSON.encode(known))
    }

    private static func json(of known: Known) throws -> [UInt8] {
        JSONObject([
            ("product", try JSON.encode(known.product)),
            ("isWhole", try JSON.encode(known.isWhole)),
            ("isRemoved", try JSON.encode(known.isRemoved)),
            ("thumbnail", try JSON.encode(ImageVersion(of: known.product.thumbnailURL).description)),
            (
                "pictures",
                try JSON.encode((known.product.images ?? []).map { ImageVersion(of: $0.url).description })
            ),
        ]).bytes
    }
}

private struct ProductNews: Encodable {
    let id: ProductID
    let isRemoved: Bool
}

extension Product {
    /// All addresses at which it has pictures.
    fileprivate var imageURLs: [String] {
        [thumbnailURL] + (images ?? []).flatMap { [$0.url, $0.thumbnailURL] }
    }
}

extension Event {
    fileprivate var milliseconds: Int { Int(time.timeIntervalSince1970 * 1_000) }
}

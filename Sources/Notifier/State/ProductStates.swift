import BoxOffice
import Contract
import FoundationEssentials
import OpenMarket
import Storage
import Text

/// The latest known state of each product of the Open Market, by the times of the events, in whatever order they are read. A
/// product that is missing from a page may have moved to another one: only `product.removed` says that it is gone.
struct ProductStates: Sendable {
    /// The time after its registration in which a product counts as new, in seconds. A product that is first seen later
    /// is not new: earlier pages did not include it.
    private static let newProductPeriod: TimeInterval = 7 * 86_400

    static let streams: Set<Contract.Stream> = [.products, .product]

    struct Item: Hashable, Sendable {
        /// The product's state; nil if it was removed.
        let state: ProductState?
        /// The time of the event that said so.
        let seen: Date
    }

    struct Changes: Sendable {
        let began: Date
        let opened: Date?
        /// Whether all that was written before is to be deleted.
        let isReset: Bool
        let items: [ProductID: Item]
    }

    /// When rules about products first came into force: earlier events are baseline.
    let began: Date
    /// The time of the first product event: products registered before it are not new.
    private(set) var opened: Date?
    private(set) var items: [ProductID: Item]
    private var changed: Set<ProductID> = []
    private var isReset = false

    init(began: Date, opened: Date? = nil, items: [ProductID: Item] = [:]) {
        self.began = began
        self.opened = opened
        self.items = items
    }

    mutating func apply(_ products: [Product], at time: Date) -> [ProductObservation] {
        let opened = opened ?? time
        self.opened = opened
        return products.compactMap { product in
            let state = ProductState(product)
            let known = items[product.id]
            guard update(product.id, to: state, at: time) else { return nil }
            let isNew =
                known == nil && product.created >= OpenMarketTime(at: opened)
                && product.created > OpenMarketTime(at: time - Self.newProductPeriod)
            guard isNew || known?.state != nil else { return nil }
            return ProductObservation(id: product.id, current: state, previous: known?.state, isNew: isNew)
        }
    }

    mutating func apply(_ removed: RemovedProduct, at time: Date) -> [ProductObservation] {
        opened = opened ?? time
        let known = items[removed.id]
        guard update(removed.id, to: nil, at: time) else { return [] }
        let previous = known?.state ?? removed.product.map { ProductState($0) }
        return [ProductObservation(id: removed.id, current: nil, previous: previous, isNew: false)]
    }

    /// Stores a product's state unless a later one is known; returns whether that changes it.
    private mutating func update(_ id: ProductID, to state: ProductState?, at time: Date) -> Bool {
        let known = items[id]
        if let known, time < known.seen { return false }
        items[id] = Item(state: state, seen: time)
        changed.insert(id)
        return known.map { $0.state != state } ?? true
    }

    /// Removes all products, as when the worker has another log.
    mutating func reset() {
        items = [:]
        opened = nil
        changed = []
        isReset = true
    }

    mutating func drainChanges() -> Changes {
        defer {
            changed = []
            isReset = false
        }
        return Changes(
            began: began, opened: opened, isReset: isReset,
            items: changed.reduce(into: [:]) { $0[$1] = items[$1] })
    }
}

extension OpenMarketTime {
    /// The Open Market's time at an instant; its times are Korean.
    fileprivate init(at instant: Date) {
        let text = (instant + 9 * 3600).ISO8601Format().dropLast()
        guard let time = OpenMarketTime(String(text)) else { preconditionFailure("\(text) is not an Open Market time") }
        self = time
    }
}

// MARK: - Observations

struct ProductState: Hashable, Sendable {
    let name: String
    let currency: Currency
    /// The price without the discount.
    let price: Decimal
    /// The amount that is taken off.
    let discount: Decimal
    let bargainPrice: Decimal
    let stock: Int
}

extension ProductState {
    init(_ product: Product) {
        self.init(
            name: product.name, currency: product.currency, price: product.price, discount: product.discount,
            bargainPrice: product.bargainPrice, stock: product.stock)
    }
}

struct ProductObservation: Hashable, Sendable {
    let id: ProductID
    /// The state now; nil if the product was removed.
    let current: ProductState?
    /// The state before; nil if the product was not known.
    let previous: ProductState?
    /// Whether the product was added to the Open Market since the first product event.
    let isNew: Bool

    /// The change of the price to pay, in percent; negative if it fell, nil where the two prices cannot be compared.
    var priceChange: Decimal? {
        guard let current, let previous, current.currency == previous.currency, previous.bargainPrice > 0 else {
            return nil
        }
        return (current.bargainPrice - previous.bargainPrice) * 100 / previous.bargainPrice
    }

    var values: [String: TemplateValue] {
        guard let state = current ?? previous else { return [:] }
        return [
            "currency": .text(state.currency.rawValue), "price": .amount(state.price),
            "discountedPrice": .amount(state.discount), "bargainPrice": .amount(state.bargainPrice),
            "stock": .integer(state.stock),
        ]
    }
}

// MARK: - Storing

extension NotifierStore {
    /// Loads the products of the last write; returns nil if there was no rule about products then.
    func loadProductStates(in connection: Connection) throws -> ProductStates? {
        let row = try connection.query("select began, opened from product_reading", as: Int.self, Int?.self).first
        guard let (began, opened) = row else { return nil }
        let rows = try connection.query(
            "select id, seen, name, currency, price, discount, bargain_price, stock from product", as: Int.self,
            Int.self, String?.self, String?.self, String?.self, String?.self, String?.self, Int?.self)
        var items: [ProductID: ProductStates.Item] = [:]
        for (id, seen, name, currency, price, discount, bargainPrice, stock) in rows {
            guard let id = ProductID(id) else { continue }
            var state: ProductState?
            if let name, let currency = currency.flatMap(Currency.init), let price = price.flatMap(amount),
                let discount = discount.flatMap(amount), let bargainPrice = bargainPrice.flatMap(amount), let stock
            {
                state = ProductState(
                    name: name, currency: currency, price: price, discount: discount, bargainPrice: bargainPrice,
                    stock: stock)
            }
            items[id] = ProductStates.Item(state: state, seen: Date(millisecondsSince1970: seen))
        }
        return ProductStates(
            began: Date(millisecondsSince1970: began), opened: opened.map(Date.init(millisecondsSince1970:)),
            items: items)
    }

    private func amount(_ text: String) -> Decimal? { Decimal(string: text) }

    func save(_ changes: ProductStates.Changes, in connection: Connection) throws {
        if changes.isReset { try connection.execute("delete from product") }
        try connection.execute(
            """
            insert into product_reading (id, began, opened) values (1, ?, ?)
            on conflict (id) do update set began = excluded.began, opened = excluded.opened
            """,
            changes.began.millisecondsSince1970,
            changes.opened?.millisecondsSince1970)
        for (id, item) in changes.items {
            let state = item.state
            try connection.execute(
                """
                insert into product (id, seen, name, currency, price, discount, bargain_price, stock)
                values (?, ?, ?, ?, ?, ?, ?, ?)
                on conflict (id) do update set seen = excluded.seen, name = excluded.name,
                    currency = excluded.currency, price = excluded.price, discount = excluded.discount,
                    bargain_price = excluded.bargain_price, stock = excluded.stock
                """, id.number, item.seen.millisecondsSince1970, state?.name, state?.currency.rawValue,
                state.map { "\($0.price)" }, state.map { "\($0.discount)" }, state.map { "\($0.bargainPrice)" },
                state?.stock)
        }
    }

    func deleteProductStates(in connection: Connection) throws {
        try connection.execute("delete from product_reading")
        try connection.execute("delete from product")
    }
}

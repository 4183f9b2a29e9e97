import BoxOffice
import Contract
import FoundationEssentials
import OpenMarket

/// What is known of the shop's products: each as it was last seen, on a page or by itself.
///
/// A page is news of products as well as a product's own event is; of two looks the later counts, by the times of their
/// events, in whatever order they are read. It grows by products.
///
/// See docs/decisions/0027-product-alerts.md.
struct ProductStates: Sendable {
    /// How long after its registration a product is new: one that is seen for the first time later was overlooked.
    private static let novelty: TimeInterval = 7 * 86_400

    /// The streams that tell of products.
    static let streams: Set<Contract.Stream> = [.products, .product]

    /// What is known of a product.
    struct Item: Hashable, Sendable {
        /// What it was; nil for one that is gone.
        let state: ProductState?
        /// When it was so.
        let seen: Date
    }

    /// What has to be written for the shelf to be on disk.
    struct Changes: Sendable {
        let began: Date
        let opened: Date?
        /// Whether what was written before is no longer so.
        let isForgotten: Bool
        let items: [ProductID: Item]
    }

    /// When products were first looked at: what was logged before is history.
    let began: Date
    /// When the first look at the shop was: what had been registered by then is not new.
    private(set) var opened: Date?
    /// The products that were seen.
    private(set) var items: [ProductID: Item]
    private var changed: Set<ProductID> = []
    private var isForgotten = false

    /// Makes a shelf of what is known.
    init(began: Date, opened: Date? = nil, items: [ProductID: Item] = [:]) {
        self.began = began
        self.opened = opened
        self.items = items
    }

    /// Takes what an event says of products, and returns those that are now otherwise than they were known.
    mutating func see(_ products: [Product], at time: Date) -> [ProductObservation] {
        let opened = opened ?? time
        self.opened = opened
        return products.compactMap { product in
            let state = ProductState(product)
            let known = items[product.id]
            guard put(state, product.id, at: time) else { return nil }
            let isNew =
                known == nil && product.created >= OpenMarketTime(at: opened)
                && product.created > OpenMarketTime(at: time - Self.novelty)
            guard isNew || known?.state != nil else { return nil }
            return ProductObservation(id: product.id, now: state, before: known?.state, isNew: isNew)
        }
    }

    /// Takes that a product is gone.
    mutating func miss(_ removed: RemovedProduct, at time: Date) -> [ProductObservation] {
        opened = opened ?? time
        let known = items[removed.id]
        guard put(nil, removed.id, at: time) else { return [] }
        let before = known?.state ?? removed.product.map { ProductState($0) }
        return [ProductObservation(id: removed.id, now: nil, before: before, isNew: false)]
    }

    /// Puts what was seen in its place; returns whether that is news.
    private mutating func put(_ state: ProductState?, _ id: ProductID, at time: Date) -> Bool {
        let known = items[id]
        if let known, time < known.seen { return false }
        items[id] = Item(state: state, seen: time)
        changed.insert(id)
        return known.map { $0.state != state } ?? true
    }

    /// Forgets all products, as when the worker's log is another one.
    mutating func forget() {
        items = [:]
        opened = nil
        changed = []
        isForgotten = true
    }

    /// What has changed since this was last asked.
    mutating func takeChanges() -> Changes {
        defer {
            changed = []
            isForgotten = false
        }
        return Changes(
            began: began, opened: opened, isForgotten: isForgotten,
            items: changed.reduce(into: [:]) { $0[$1] = items[$1] })
    }
}

extension OpenMarketTime {
    /// The market's time at an instant: its times are Korea's.
    fileprivate init(at instant: Date) {
        let text = (instant + 9 * 3600).ISO8601Format().dropLast()
        guard let time = OpenMarketTime(String(text)) else { preconditionFailure("\(text) is no time") }
        self = time
    }
}

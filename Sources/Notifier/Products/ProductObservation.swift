import FoundationEssentials
import OpenMarket

/// What the shop says of a product at one time, as far as alerts are about it.
struct ProductState: Hashable, Sendable {
    /// What it is called.
    let name: String
    /// What the amounts are in.
    let currency: Currency
    /// What it costs without the discount.
    let price: Decimal
    /// What is taken off.
    let discount: Decimal
    /// What it costs.
    let bargainPrice: Decimal
    /// How many are left.
    let stock: Int
}

extension ProductState {
    /// What a product's event says.
    init(_ product: Product) {
        self.init(
            name: product.name, currency: product.currency, price: product.price, discount: product.discount,
            bargainPrice: product.bargainPrice, stock: product.stock)
    }
}

/// A look at a product that shows something else than the one before: all that a rule may look at.
struct ProductObservation: Hashable, Sendable {
    /// The product.
    let id: ProductID
    /// What it is now; nil if it is gone.
    let now: ProductState?
    /// What it was when it was last seen; nil if it never was.
    let before: ProductState?
    /// Whether it came into the shop while the shop was being watched.
    let isNew: Bool

    /// By how many percent it costs more than before, or less (negative); nil where the two cannot be compared.
    var change: Decimal? {
        guard let now, let before, now.currency == before.currency, before.bargainPrice > 0 else { return nil }
        return (now.bargainPrice - before.bargainPrice) * 100 / before.bargainPrice
    }

    /// The figures that every alert about a product has.
    var figures: [String: TemplateValue] {
        guard let state = now ?? before else { return [:] }
        return [
            "currency": .text(state.currency.rawValue), "price": .amount(state.price),
            "discountedPrice": .amount(state.discount), "bargainPrice": .amount(state.bargainPrice),
            "stock": .integer(state.stock),
        ]
    }
}

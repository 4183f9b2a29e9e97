import BoxOffice
import Contract
import FoundationEssentials

/// A rule about products of the Open Market: whether a change is worth an alert, and with which values. Pure.
protocol ProductRule: AlertTextSource {
    /// Returns the rule's own values if it fires.
    func match(for observation: ProductObservation) -> [String: TemplateValue]?
}

extension ProductRule {
    static var commonValues: [String] {
        ["title", "product", "date", "currency", "price", "discountedPrice", "bargainPrice", "stock"]
    }
    static var ownValues: [String] { [] }
}

/// The product has a discount and had none before.
struct NewDiscountRule: ProductRule {
    static let name = AlertRule.newDiscount
    static let ko = "‘{title}’ 할인 시작: {price}→{bargainPrice}"
    static let en = "{title} is on sale at {bargainPrice} instead of {price}"

    func match(for observation: ProductObservation) -> [String: TemplateValue]? {
        guard let current = observation.current, let previous = observation.previous, current.discount > 0,
            previous.discount <= 0
        else { return nil }
        return [:]
    }
}

/// The product's stock fell to zero.
struct SoldOutRule: ProductRule {
    static let name = AlertRule.soldOut
    static let ko = "‘{title}’ 품절"
    static let en = "{title} is sold out"

    func match(for observation: ProductObservation) -> [String: TemplateValue]? {
        guard let current = observation.current, let previous = observation.previous, current.stock == 0,
            previous.stock > 0
        else { return nil }
        return [:]
    }
}

/// The product's stock was zero and no longer is.
struct BackInStockRule: ProductRule {
    static let name = AlertRule.backInStock
    static let ko = "‘{title}’ 재입고(재고 {stock}개)"
    static let en = "{title} is back in stock ({stock} left)"

    func match(for observation: ProductObservation) -> [String: TemplateValue]? {
        guard let current = observation.current, let previous = observation.previous, current.stock > 0,
            previous.stock == 0
        else { return nil }
        return [:]
    }
}

/// The product was added to the Open Market.
struct NewProductRule: ProductRule {
    static let name = AlertRule.newProduct
    static let ko = "신상품 ‘{title}’ {bargainPrice}"
    static let en = "New in the shop: {title} at {bargainPrice}"

    func match(for observation: ProductObservation) -> [String: TemplateValue]? { observation.isNew ? [:] : nil }
}

/// The product was removed from the Open Market.
struct ProductRemovedRule: ProductRule {
    static let name = AlertRule.productRemoved
    static let ko = "[‘{title}’|{product}번 상품] 판매 종료"
    static let en = "[{title}|Product {product}] is no longer in the shop"

    func match(for observation: ProductObservation) -> [String: TemplateValue]? {
        observation.current == nil ? [:] : nil
    }
}

/// The price to pay, after the discount, fell by at least `by` percent.
struct PriceFellRule: ProductRule {
    static let name = AlertRule.priceFell
    static let ownValues = ["previousBargainPrice", "percent"]
    static let ko = "‘{title}’ {previousBargainPrice}→{bargainPrice}[ ▼{percent}%]"
    static let en = "{title} is down[ {percent}%] to {bargainPrice} (from {previousBargainPrice})"

    /// The least change, in percent.
    var by = 10

    func match(for observation: ProductObservation) -> [String: TemplateValue]? {
        guard let change = observation.priceChange, change <= Decimal(-by) else { return nil }
        return observation.values(priceChange: -change)
    }
}

/// The price to pay, after the discount, rose by at least `by` percent.
struct PriceRoseRule: ProductRule {
    static let name = AlertRule.priceRose
    static let ownValues = ["previousBargainPrice", "percent"]
    static let ko = "‘{title}’ {previousBargainPrice}→{bargainPrice}[ ▲{percent}%]"
    static let en = "{title} is up[ {percent}%] to {bargainPrice} (from {previousBargainPrice})"

    /// The least change, in percent.
    var by = 10

    func match(for observation: ProductObservation) -> [String: TemplateValue]? {
        guard let change = observation.priceChange, change >= Decimal(by) else { return nil }
        return observation.values(priceChange: change)
    }
}

extension ProductObservation {
    fileprivate func values(priceChange change: Decimal) -> [String: TemplateValue] {
        // Truncated to tenths; a number too large for an integer becomes null.
        let tenths = Int("\(change * 10)".prefix { $0 != "." })
        return [
            "previousBargainPrice": previous.map { .amount($0.bargainPrice) } ?? .null,
            "percent": tenths.map { .percent(Percent(tenths: $0)) } ?? .null,
        ]
    }
}

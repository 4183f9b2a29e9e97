import BoxOffice
import Contract
import FoundationEssentials

/// The product has a discount and had none before.
struct NewDiscountRule: ProductRule {
    static let name: AlertRule = "newDiscount"
    static let heading = RuleHeading("할인 시작", "On sale", glyph: "%")
    static let ko = "‘{title}’ 할인 시작: {price}→{bargainPrice}"
    static let en = "{title} is on sale at {bargainPrice} instead of {price}"

    func match(for observation: ProductObservation) -> [String: TemplateValue]? {
        observation.match { before, after in before.discount <= 0 && after.discount > 0 }
    }

    func sample(of product: ProductState) -> ProductSample {
        let full = product.with(discount: 0, bargainPrice: product.price)
        guard product.discount <= 0 else { return (full, product) }
        let tenth = product.price / 10
        return (full, product.with(discount: tenth, bargainPrice: product.price - tenth))
    }
}

struct SoldOutRule: ProductRule {
    static let name: AlertRule = "soldOut"
    static let heading = RuleHeading("품절", "Sold out", glyph: "－")
    static let ko = "‘{title}’ 품절"
    static let en = "{title} is sold out"

    func match(for observation: ProductObservation) -> [String: TemplateValue]? {
        observation.match { before, after in before.stock > 0 && after.stock == 0 }
    }

    func sample(of product: ProductState) -> ProductSample {
        (product.with(stock: max(1, product.stock)), product.with(stock: 0))
    }
}

struct BackInStockRule: ProductRule {
    static let name: AlertRule = "backInStock"
    static let heading = RuleHeading("재입고", "Back in stock", glyph: "↩")
    static let ko = "‘{title}’ 재입고(재고 {stock}개)"
    static let en = "{title} is back in stock ({stock} left)"

    func match(for observation: ProductObservation) -> [String: TemplateValue]? {
        observation.match { before, after in before.stock == 0 && after.stock > 0 }
    }

    func sample(of product: ProductState) -> ProductSample {
        (product.with(stock: 0), product.with(stock: max(1, product.stock)))
    }
}

struct NewProductRule: ProductRule {
    static let name: AlertRule = "newProduct"
    static let heading = RuleHeading("신상품", "New product", glyph: "＋")
    static let ko = "신상품 ‘{title}’ {bargainPrice}"
    static let en = "New in the shop: {title} at {bargainPrice}"

    func match(for observation: ProductObservation) -> [String: TemplateValue]? { observation.isNew ? [:] : nil }

    func sample(of product: ProductState) -> ProductSample { (nil, product) }
}

struct ProductRemovedRule: ProductRule {
    static let name: AlertRule = "productRemoved"
    static let heading = RuleHeading("판매 종료", "No longer in the shop", glyph: "✕")
    static let ko = "[‘{title}’|{product}번 상품] 판매 종료"
    static let en = "[{title}|Product {product}] is no longer in the shop"

    func match(for observation: ProductObservation) -> [String: TemplateValue]? {
        observation.current == nil ? [:] : nil
    }

    func sample(of product: ProductState) -> ProductSample { (product, nil) }
}

/// The price to pay, after the discount, fell by at least `by` percent.
struct PriceFellRule: ProductRule {
    static let name: AlertRule = "priceFell"
    static let heading = RuleHeading("가격 인하", "Price down", glyph: "▼")
    static let settings = [RuleSetting("by", \Self.by)]
    static let ownValues = ["previousBargainPrice", "percent"]
    static let ko = "‘{title}’ {previousBargainPrice}→{bargainPrice}[ ▼{percent}%]"
    static let en = "{title} is down[ {percent}%] to {bargainPrice} (from {previousBargainPrice})"

    var by = 10

    func match(for observation: ProductObservation) -> [String: TemplateValue]? {
        guard let change = observation.priceChange, change <= Decimal(-by) else { return nil }
        return observation.values(priceChange: -change)
    }

    func sample(of product: ProductState) -> ProductSample {
        (product.with(bargainPrice: product.bargainPrice * 2), product)
    }
}

/// The price to pay, after the discount, rose by at least `by` percent.
struct PriceRoseRule: ProductRule {
    static let name: AlertRule = "priceRose"
    static let heading = RuleHeading("가격 인상", "Price up", glyph: "▲")
    static let settings = [RuleSetting("by", \Self.by)]
    static let ownValues = ["previousBargainPrice", "percent"]
    static let ko = "‘{title}’ {previousBargainPrice}→{bargainPrice}[ ▲{percent}%]"
    static let en = "{title} is up[ {percent}%] to {bargainPrice} (from {previousBargainPrice})"

    var by = 10

    func match(for observation: ProductObservation) -> [String: TemplateValue]? {
        guard let change = observation.priceChange, change >= Decimal(by) else { return nil }
        return observation.values(priceChange: change)
    }

    func sample(of product: ProductState) -> ProductSample {
        (product.with(bargainPrice: product.bargainPrice / 2), product)
    }
}

extension ProductObservation {
    fileprivate func match(
        if isMatch: (_ before: ProductState, _ after: ProductState) -> Bool
    ) -> [String: TemplateValue]? {
        guard let previous, let current, isMatch(previous, current) else { return nil }
        return [:]
    }

    fileprivate func values(priceChange change: Decimal) -> [String: TemplateValue] {
        // Truncated to tenths; a number too large for an integer becomes null.
        let tenths = Int("\(change * 10)".prefix { $0 != "." })
        return [
            "previousBargainPrice": previous.map { .amount($0.bargainPrice) } ?? .null,
            "percent": tenths.map { .percent(Percent(tenths: $0)) } ?? .null,
        ]
    }
}

extension ProductState {
    fileprivate func with(
        discount: Decimal? = nil, bargainPrice: Decimal? = nil, stock: Int? = nil
    ) -> ProductState {
        ProductState(
            name: name, currency: currency, price: price, discount: discount ?? self.discount,
            bargainPrice: bargainPrice ?? self.bargainPrice, stock: stock ?? self.stock)
    }
}

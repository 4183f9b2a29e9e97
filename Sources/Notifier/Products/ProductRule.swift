import Contract
import FoundationEssentials

/// A rule about products of the shop: whether what is seen of one is worth an alert, and with what figures. Pure.
protocol ProductRule: AlertTextSource {
    /// The rule's own figures, if it fires.
    func firing(for sight: ProductObservation) -> [String: TemplateValue]?
}

extension ProductRule {
    static var common: [String] {
        ["title", "product", "date", "currency", "price", "discountedPrice", "bargainPrice", "stock"]
    }
    static var figures: [String] { [] }
}

/// The product has a discount, and had none.
struct NewDiscountRule: ProductRule {
    static let word = AlertRule.newDiscount
    static let ko = "〈{title}〉 할인 시작: {price}→{bargainPrice}"
    static let en = "{title} is on sale at {bargainPrice} instead of {price}"

    func firing(for sight: ProductObservation) -> [String: TemplateValue]? {
        guard let now = sight.now, let before = sight.before, now.discount > 0, before.discount <= 0 else { return nil }
        return [:]
    }
}

/// None is left of the product, and some were.
struct SoldOutRule: ProductRule {
    static let word = AlertRule.soldOut
    static let ko = "〈{title}〉 품절"
    static let en = "{title} is sold out"

    func firing(for sight: ProductObservation) -> [String: TemplateValue]? {
        guard let now = sight.now, let before = sight.before, now.stock == 0, before.stock > 0 else { return nil }
        return [:]
    }
}

/// There are some of the product again.
struct BackInStockRule: ProductRule {
    static let word = AlertRule.backInStock
    static let ko = "〈{title}〉 재입고 (잔여수량 {stock})"
    static let en = "{title} is back in stock ({stock} left)"

    func firing(for sight: ProductObservation) -> [String: TemplateValue]? {
        guard let now = sight.now, let before = sight.before, now.stock > 0, before.stock == 0 else { return nil }
        return [:]
    }
}

/// The product came into the shop while the shop was being watched.
struct NewProductRule: ProductRule {
    static let word = AlertRule.newProduct
    static let ko = "새 상품 〈{title}〉, {bargainPrice}"
    static let en = "New in the shop: {title} at {bargainPrice}"

    func firing(for sight: ProductObservation) -> [String: TemplateValue]? { sight.isNew ? [:] : nil }
}

/// The product is no longer in the shop.
struct ProductRemovedRule: ProductRule {
    static let word = AlertRule.productRemoved
    static let ko = "[〈{title}〉|{product}번 상품] 판매 종료"
    static let en = "[{title}|Product {product}] is no longer in the shop"

    func firing(for sight: ProductObservation) -> [String: TemplateValue]? { sight.now == nil ? [:] : nil }
}

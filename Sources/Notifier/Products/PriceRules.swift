import BoxOffice
import Contract
import FoundationEssentials

/// The product costs less, by so many percent or more: what is paid, the discount taken off.
struct PriceFellRule: ProductRule {
    static let word = AlertRule.priceFell
    static let figures = ["previousBargainPrice", "percent"]
    static let ko = "〈{title}〉 {previousBargainPrice}→{bargainPrice}[ ▼{percent}%]"
    static let en = "{title} is down[ {percent}%] to {bargainPrice} (from {previousBargainPrice})"

    /// How many percent.
    var by = 10

    func firing(for sight: ProductObservation) -> [String: TemplateValue]? {
        guard let change = sight.change, change <= Decimal(-by) else { return nil }
        return sight.move(by: -change)
    }
}

/// The product costs more, by so many percent or more: what is paid, the discount taken off.
struct PriceRoseRule: ProductRule {
    static let word = AlertRule.priceRose
    static let figures = ["previousBargainPrice", "percent"]
    static let ko = "〈{title}〉 {previousBargainPrice}→{bargainPrice}[ ▲{percent}%]"
    static let en = "{title} is up[ {percent}%] to {bargainPrice} (from {previousBargainPrice})"

    /// How many percent.
    var by = 10

    func firing(for sight: ProductObservation) -> [String: TemplateValue]? {
        guard let change = sight.change, change >= Decimal(by) else { return nil }
        return sight.move(by: change)
    }
}

extension ProductObservation {
    fileprivate func move(by change: Decimal) -> [String: TemplateValue] {
        // Cut to tenths; a figure beyond all reason is left out.
        let tenths = Int("\(change * 10)".prefix { $0 != "." })
        return [
            "previousBargainPrice": before.map { .amount($0.bargainPrice) } ?? .null,
            "percent": tenths.map { .percent(Percent(tenths: $0)) } ?? .null,
        ]
    }
}

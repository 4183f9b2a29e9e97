import Contract
import OpenMarket
import YAML

extension AlertRules.ProductEntry {
    private static let common = ["products", "names", "severity", "text"]

    /// Reads what a file says of a rule about products, as of one about films.
    init?(_ word: AlertRule, _ node: Node, _ mistakes: inout ConfigurationDiagnosticsError) {
        do throws(ConfigurationDiagnostic) {
            if case .scalar = node.content, !node.isNull {
                guard try node.flag(), let rule = Self.rule(word, nil, &mistakes) else { return nil }
                self.init(rule)
                return
            }
            let own = word == .priceFell || word == .priceRose ? ["by"] : []
            let fields = try node.fields(Self.common + own, &mistakes)
            guard let rule = Self.rule(word, fields, &mistakes) else { return nil }
            self.init(rule)
            products = Set(
                RuleScope.list(fields["products"], &mistakes) { node throws(ConfigurationDiagnostic) in
                    try node.value(expected: "a product's number", read: { ProductID($0) })
                })
            names = RuleScope.list(fields["names"], &mistakes) { node throws(ConfigurationDiagnostic) in
                try node.value(expected: "a part of a name") { MovieFilter.key($0).isEmpty ? nil : MovieFilter.key($0) }
            }
            severity =
                (mistakes.collect { () throws(ConfigurationDiagnostic) in try fields["severity"]?.choice() } ?? nil)
                ?? severity
            if let text = fields["text"] { texts = try AlertTexts(text, texts, of: type(of: rule), &mistakes) }
        } catch {
            mistakes.add(error)
            return nil
        }
    }

    private static func rule(_ word: AlertRule, _ fields: Fields?, _ mistakes: inout ConfigurationDiagnosticsError) -> (
        any ProductRule
    )? {
        func percent(_ standard: Int) -> Int {
            (mistakes.collect { () throws(ConfigurationDiagnostic) in try fields?["by"]?.integer(from: 1) } ?? nil)
                ?? standard
        }
        switch word {
        case .priceFell: return PriceFellRule(by: percent(PriceFellRule().by))
        case .priceRose: return PriceRoseRule(by: percent(PriceRoseRule().by))
        case .newDiscount: return NewDiscountRule()
        case .soldOut: return SoldOutRule()
        case .backInStock: return BackInStockRule()
        case .newProduct: return NewProductRule()
        case .productRemoved: return ProductRemovedRule()
        case .entered, .left, .rose, .fell, .lead, .reentered, .opening, .streak, .milestone, .best, .screens,
            .correction, .anomaly:
            return nil
        }
    }
}

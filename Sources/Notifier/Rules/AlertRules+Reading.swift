import BoxOffice
import Contract
import OpenMarket
import Text
import YAML

extension AlertRules {
    /// The contract's default rules.
    static var standard: [any Rule] { [EnteredRule(), LeftRule(), RoseRule(), FellRule(), LeadRule()] }
}

extension AlertRules.Entry {
    private static let commonKeys = RuleScope.keys + ["severity", "text"]

    /// Makes an entry for a scope, with the rule's own texts.
    init(_ rule: any Rule, _ scope: RuleScope) {
        self.init(rule)
        filter = scope.filter
        markets = scope.markets
    }

    /// Reads a rule's value in a file: nothing or `true` puts the rule in force as it is, `false` does not, and a mapping
    /// gives its settings.
    ///
    /// Returns nil if the rule is not in force, or if it cannot be read; `diagnostics` has the reason then.
    init?(_ name: AlertRule, _ node: Node, _ outer: RuleScope, _ diagnostics: inout ConfigurationDiagnosticsError) {
        do throws(ConfigurationDiagnostic) {
            if case .scalar = node.content, !node.isNull {
                guard try node.flag(), let rule = Self.rule(name, nil, &diagnostics) else { return nil }
                self.init(rule, outer)
                return
            }
            let fields = try node.fields(Self.commonKeys + Self.keys(of: name), &diagnostics)
            guard let rule = Self.rule(name, fields, &diagnostics) else { return nil }
            self.init(rule, RuleScope(fields, within: outer, &diagnostics))
            severity =
                diagnostics.collect { () throws(ConfigurationDiagnostic) in try fields["severity"]?.choice() } ?? nil
            if let text = fields["text"] { texts = try AlertTexts(text, texts, of: type(of: rule), &diagnostics) }
        } catch {
            diagnostics.add(error)
            return nil
        }
    }

    /// The keys that only this rule takes.
    private static func keys(of name: AlertRule) -> [String] {
        switch name {
        case .rose, .fell: ["by", "inside"]
        case .reentered, .best: ["after"]
        case .streak: ["days"]
        case .milestone: ["totals"]
        case .screens: ["factor", "from"]
        case .correction: ["percent", "from"]
        case .entered, .left, .lead, .opening, .anomaly, .priceFell, .priceRose, .newDiscount, .soldOut, .backInStock,
            .newProduct, .productRemoved:
            []
        }
    }

    private static func rule(_ name: AlertRule, _ fields: Fields?, _ diagnostics: inout ConfigurationDiagnosticsError)
        -> (
            any Rule
        )?
    {
        func number(_ key: String, _ standard: Int, from least: Int = 1) -> Int {
            (diagnostics.collect { () throws(ConfigurationDiagnostic) in try fields?[key]?.setting(from: least) } ?? nil)
                ?? standard
        }
        func numbers(_ key: String, _ standard: [Int]) -> [Int] {
            fields?[key]?.numbers(&diagnostics) ?? standard
        }
        switch name {
        case .entered: return EnteredRule()
        case .left: return LeftRule()
        case .rose: return RoseRule(by: number("by", RoseRule().by), inside: number("inside", RoseRule().inside))
        case .fell: return FellRule(by: number("by", FellRule().by), inside: number("inside", FellRule().inside))
        case .lead: return LeadRule()
        case .reentered: return ReenteredRule(after: number("after", ReenteredRule().after))
        case .opening: return OpeningRule()
        case .anomaly: return AnomalyRule()
        case .streak: return StreakRule(days: numbers("days", StreakRule().days))
        case .milestone: return MilestoneRule(totals: numbers("totals", MilestoneRule().totals))
        case .best: return BestRule(after: number("after", BestRule().after))
        case .screens:
            return ScreensRule(
                factor: number("factor", ScreensRule().factor, from: 2), from: number("from", ScreensRule().from))
        case .correction:
            return CorrectionRule(
                percent: number("percent", CorrectionRule().percent), from: number("from", CorrectionRule().from))
        case .priceFell, .priceRose, .newDiscount, .soldOut, .backInStock, .newProduct, .productRemoved: return nil
        }
    }
}

extension Node {
    /// Returns a number that a rule is set to: none is larger than a figure of a chart can be.
    fileprivate func setting(from least: Int = 1) throws(ConfigurationDiagnostic) -> Int {
        try integer(in: least...ChartEntry.Field.audienceTotal.range.upperBound)
    }

    /// Returns the node's whole numbers, from 1 and ascending; nil if one of them, or the list, cannot be read.
    fileprivate func numbers(_ diagnostics: inout ConfigurationDiagnosticsError) -> [Int]? {
        guard let nodes = diagnostics.collect({ () throws(ConfigurationDiagnostic) in try list() }) else { return nil }
        if nodes.isEmpty {
            diagnostics.add(diagnostic("빈 목록입니다. 수를 하나 이상 쓰세요", "the list needs at least one number"))
        }
        let numbers = nodes.compactMap { node in
            diagnostics.collect { () throws(ConfigurationDiagnostic) in try node.setting() }
        }
        return numbers.isEmpty ? nil : numbers.sorted()
    }
}

extension AlertTexts {
    /// Reads a rule's texts; a language that is missing keeps the standard text.
    init(
        _ node: Node, _ standard: AlertTexts, of rule: any AlertTextSource.Type,
        _ diagnostics: inout ConfigurationDiagnosticsError
    ) throws(ConfigurationDiagnostic) {
        self = standard
        let fields = try node.fields(Language.allCases.map(\.rawValue), &diagnostics)
        let names = Self.names(for: rule)
        func read(_ language: Language) -> Template? {
            diagnostics.collect { () throws(ConfigurationDiagnostic) in
                try fields[language.rawValue]?.template(in: language, names)
            }
                ?? nil
        }
        ko = read(.ko) ?? ko
        en = read(.en) ?? en
    }
}

extension Node {
    fileprivate func template(in language: Language, _ names: [String]) throws(ConfigurationDiagnostic) -> Template {
        let text = try text()
        do throws(TemplateError) {
            return try Template(text, in: language, names: names)
        } catch {
            throw diagnostic(error.text)
        }
    }
}

extension AlertRules.ProductEntry {
    private static let commonKeys = ["products", "names", "severity", "text"]

    /// Reads the value of a rule about products in a file, like one about movies.
    init?(_ name: AlertRule, _ node: Node, _ diagnostics: inout ConfigurationDiagnosticsError) {
        do throws(ConfigurationDiagnostic) {
            if case .scalar = node.content, !node.isNull {
                guard try node.flag(), let rule = Self.rule(name, nil, &diagnostics) else { return nil }
                self.init(rule)
                return
            }
            let own = name == .priceFell || name == .priceRose ? ["by"] : []
            let fields = try node.fields(Self.commonKeys + own, &diagnostics)
            guard let rule = Self.rule(name, fields, &diagnostics) else { return nil }
            self.init(rule)
            products = Set(
                RuleScope.list(fields["products"], &diagnostics) { node throws(ConfigurationDiagnostic) in
                    try node.value(expected: "상품 번호를", "a product's number", read: { ProductID($0) })
                })
            names = RuleScope.list(fields["names"], &diagnostics) { node throws(ConfigurationDiagnostic) in
                try node.value(expected: "상품명이나 그 일부를", "a part of a name") {
                    MovieFilter.key($0).isEmpty ? nil : MovieFilter.key($0)
                }
            }
            severity =
                (diagnostics.collect { () throws(ConfigurationDiagnostic) in try fields["severity"]?.choice() } ?? nil)
                ?? severity
            if let text = fields["text"] { texts = try AlertTexts(text, texts, of: type(of: rule), &diagnostics) }
        } catch {
            diagnostics.add(error)
            return nil
        }
    }

    private static func rule(_ name: AlertRule, _ fields: Fields?, _ diagnostics: inout ConfigurationDiagnosticsError)
        -> (
            any ProductRule
        )?
    {
        func percent(_ standard: Int) -> Int {
            (diagnostics.collect { () throws(ConfigurationDiagnostic) in try fields?["by"]?.setting() } ?? nil)
                ?? standard
        }
        switch name {
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

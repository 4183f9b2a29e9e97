import Contract
import YAML

extension AlertRules {
    /// The contract's rules.
    static var standard: [any Rule] { [EnteredRule(), LeftRule(), RoseRule(), FellRule(), LeadRule()] }
}

extension AlertRules.Entry {
    private static let common = RuleScope.keys + ["severity", "text"]

    /// Puts a rule in force for a scope, in its own words.
    init(_ rule: any Rule, _ scope: RuleScope) {
        self.init(rule)
        watch = scope.watch
        markets = scope.markets
    }

    /// Reads what a file says of a rule: nothing or `true` puts it in force as it is, `false` does not, and a mapping says
    /// how it is meant.
    init?(_ word: AlertRule, _ node: Node, _ outer: RuleScope, _ mistakes: inout ConfigurationDiagnosticsError) {
        do throws(ConfigurationDiagnostic) {
            if case .scalar = node.content, !node.isNull {
                guard try node.flag(), let rule = Self.rule(word, nil, &mistakes) else { return nil }
                self.init(rule, outer)
                return
            }
            let fields = try node.fields(Self.common + Self.keys(of: word), &mistakes)
            guard let rule = Self.rule(word, fields, &mistakes) else { return nil }
            self.init(rule, RuleScope(fields, within: outer, &mistakes))
            severity =
                mistakes.collect { () throws(ConfigurationDiagnostic) in try fields["severity"]?.choice() } ?? nil
            if let text = fields["text"] { texts = try AlertTexts(text, texts, of: type(of: rule), &mistakes) }
        } catch {
            mistakes.add(error)
            return nil
        }
    }

    /// The keys of a rule's own.
    private static func keys(of word: AlertRule) -> [String] {
        switch word {
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

    private static func rule(_ word: AlertRule, _ fields: Fields?, _ mistakes: inout ConfigurationDiagnosticsError) -> (
        any Rule
    )? {
        func number(_ key: String, _ standard: Int, from least: Int = 1) -> Int {
            (mistakes.collect { () throws(ConfigurationDiagnostic) in try fields?[key]?.integer(from: least) } ?? nil)
                ?? standard
        }
        func numbers(_ key: String, _ standard: [Int]) -> [Int] {
            (mistakes.collect { () throws(ConfigurationDiagnostic) in try fields?[key]?.numbers() } ?? nil) ?? standard
        }
        switch word {
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
    /// Whole numbers from one on, ascending; at least one of them.
    fileprivate func numbers() throws(ConfigurationDiagnostic) -> [Int] {
        var numbers: [Int] = []
        for node in try list() { numbers.append(try node.integer(from: 1)) }
        guard !numbers.isEmpty else { throw diagnostic("an empty list is no list of numbers") }
        return numbers.sorted()
    }
}

extension AlertTexts {
    /// Reads a rule's sentences; a language that is not there keeps its own.
    init(
        _ node: Node, _ standard: AlertTexts, of rule: any AlertTextSource.Type,
        _ mistakes: inout ConfigurationDiagnosticsError
    ) throws(ConfigurationDiagnostic) {
        self = standard
        let fields = try node.fields(Language.allCases.map(\.rawValue), &mistakes)
        let names = Self.names(for: rule)
        func read(_ language: Language) -> Template? {
            mistakes.collect { () throws(ConfigurationDiagnostic) in
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
        do throws(Template.Problem) {
            return try Template(text, in: language, names: names)
        } catch {
            throw diagnostic(error.description)
        }
    }
}

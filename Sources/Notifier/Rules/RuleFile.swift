import BoxOffice
import Contract
import OpenMarket
import ServiceRuntime
import Text
public import YAML

/// A file with the rules in force and the sinks that alerts are delivered to; docs/rules.md describes it.
public struct RuleFile: Sendable {
    /// The rules in force.
    public let rules: AlertRules
    /// The sinks.
    public let sinks: [ConfiguredSink]

    /// The contract's five rules and no sinks, for when there is no file, or none with `rules`.
    public static let standard = RuleFile(rules: AlertRules())

    /// Makes the contents of a file.
    public init(rules: AlertRules, sinks: [ConfiguredSink] = []) {
        self.rules = rules
        self.sinks = sinks
    }

    static func read(
        _ text: [UInt8], file: String, of kinds: [any Rule.Type] = AlertRules.kinds
    ) throws(ConfigurationDiagnosticsError) -> RuleFile {
        var diagnostics = ConfigurationDiagnosticsError()
        var found = RuleFile.standard
        do throws(ConfigurationDiagnostic) {
            found = try read(text, file: file, kinds, &diagnostics)
        } catch {
            diagnostics.add(error)
        }
        guard diagnostics.diagnostics.isEmpty else { throw diagnostics }
        return found
    }

    /// Reads the file at `path`.
    public static func read(path: String) throws(ConfigurationDiagnosticsError) -> RuleFile {
        let text: [UInt8]
        do throws(FileError) {
            text = try BoundedFile.contents(of: path, limit: Node.maximumSize)
        } catch {
            throw ConfigurationDiagnosticsError(
                ConfigurationDiagnostic(
                    at: SourcePosition(file: path, line: 1, column: 1),
                    "파일을 읽을 수 없습니다(\(error.text.text(in: .ko))). 경로와 읽기 권한을 확인하세요", "cannot be read: \(error)"))
        }
        return try read(text, file: path)
    }

    private static func read(
        _ text: [UInt8], file: String, _ kinds: [any Rule.Type], _ diagnostics: inout ConfigurationDiagnosticsError
    ) throws(ConfigurationDiagnostic) -> RuleFile {
        guard let document = try Node.read(text, file: file, &diagnostics) else { return .standard }
        let fields = try document.fields(RuleScope.keys + ["rules", "sinks"], &diagnostics)
        let scope = RuleScope(fields, within: RuleScope(), &diagnostics)
        var rules = AlertRules.standard.map { ConfiguredRule($0, scope) }
        var products: [ConfiguredProductRule] = []
        if let section = fields["rules"], let nodes = nodes(of: section, kinds, &diagnostics) {
            rules = []
            for kind in kinds {
                guard let node = nodes[kind.name.rawValue] else { continue }
                if let kind = kind as? any MovieRule.Type {
                    if let rule = ConfiguredRule(kind, node, scope, &diagnostics) { rules.append(rule) }
                } else if let kind = kind as? any ProductRule.Type {
                    if let rule = ConfiguredProductRule(kind, node, &diagnostics) { products.append(rule) }
                }
            }
        }
        let sinks = fields["sinks"].map { ConfiguredSink.read($0, &diagnostics) } ?? []
        return RuleFile(rules: AlertRules(rules, products: products), sinks: sinks)
    }

    /// Returns the rules of a section by their names; nil if it cannot be read, so that the mistakes in the rest of the file
    /// are found, too.
    private static func nodes(
        of section: Node, _ kinds: [any Rule.Type], _ diagnostics: inout ConfigurationDiagnosticsError
    ) -> Fields? {
        let names = kinds.map { $0.name.rawValue }
        do throws(ConfigurationDiagnostic) {
            if let word = section.firstWord(of: names) {
                throw section.diagnostic(
                    "규칙 이름 뒤에 콜론이 없습니다. '\(word):'처럼 쓰세요", "a rule is written with a colon: '\(word):'")
            }
            return try section.fields(names, &diagnostics)
        } catch {
            diagnostics.add(error)
            return nil
        }
    }
}

extension Node {
    /// The first of these names in a section that was written without colons, as a word or a list.
    fileprivate func firstWord(of names: [String]) -> String? {
        switch content {
        case .scalar(let text, _) where !isNull:
            text.parts(between: " ").map(String.init).first(where: names.contains)
        case .sequence(let nodes):
            nodes.lazy.compactMap { node -> String? in
                guard case .scalar(let text, _) = node.content, names.contains(text) else { return nil }
                return text
            }.first
        default: nil
        }
    }
}

// MARK: - Rules

/// A key that only one rule takes, and what it sets.
struct RuleSetting<Owner>: Sendable {
    let key: String
    let read: @Sendable (Node, inout Owner, inout ConfigurationDiagnosticsError) -> Void

    init(_ key: String, _ value: any WritableKeyPath<Owner, Int> & Sendable, from least: Int = 1) {
        self.key = key
        read = { node, owner, diagnostics in
            let number = diagnostics.collect { () throws(ConfigurationDiagnostic) in try node.setting(from: least) }
            if let number { owner[keyPath: value] = number }
        }
    }

    init(_ key: String, _ value: any WritableKeyPath<Owner, [Int]> & Sendable) {
        self.key = key
        read = { node, owner, diagnostics in
            if let numbers = node.numbers(&diagnostics) { owner[keyPath: value] = numbers }
        }
    }
}

/// What a file says of a rule: nothing or `true` puts the rule in force as it is, `false` does not, and a mapping gives its
/// settings.
private struct RuleSection<Kind: Rule> {
    var rule = Kind()
    var texts = AlertTexts(of: Kind.self)
    var severity: Alert.Severity?
    /// The keys of the mapping; nil without one.
    var fields: Fields?

    /// Returns nil if the rule is not in force, or if it cannot be read; `diagnostics` has the reason then.
    init?(_ node: Node, keys: [String], _ diagnostics: inout ConfigurationDiagnosticsError) {
        do throws(ConfigurationDiagnostic) {
            if case .scalar = node.content, !node.isNull {
                guard try node.flag() else { return nil }
                return
            }
            let known = keys + ["severity", "text"] + Kind.settings.map(\.key)
            let fields = try node.fields(known, &diagnostics)
            for setting in Kind.settings {
                if let node = fields[setting.key] { setting.read(node, &rule, &diagnostics) }
            }
            severity =
                diagnostics.collect { () throws(ConfigurationDiagnostic) in try fields["severity"]?.choice() } ?? nil
            if let text = fields["text"] { try texts.read(text, of: Kind.self, &diagnostics) }
            self.fields = fields
        } catch {
            diagnostics.add(error)
            return nil
        }
    }
}

extension ConfiguredRule {
    fileprivate init?<Kind: MovieRule>(
        _: Kind.Type, _ node: Node, _ outer: RuleScope, _ diagnostics: inout ConfigurationDiagnosticsError
    ) {
        guard let section = RuleSection<Kind>(node, keys: RuleScope.keys, &diagnostics) else { return nil }
        self.init(section.rule, section.fields.map { RuleScope($0, within: outer, &diagnostics) } ?? outer)
        (severity, texts) = (section.severity, section.texts)
    }
}

extension ConfiguredProductRule {
    fileprivate init?<Kind: ProductRule>(
        _: Kind.Type, _ node: Node, _ diagnostics: inout ConfigurationDiagnosticsError
    ) {
        guard let section = RuleSection<Kind>(node, keys: ["products", "names"], &diagnostics) else { return nil }
        self.init(section.rule)
        texts = section.texts
        severity = section.severity ?? severity
        let ids = RuleScope.list(section.fields?["products"], &diagnostics) { node throws(ConfigurationDiagnostic) in
            try node.value(expected: "상품 번호를", "a product's number", read: { ProductID($0) })
        }
        let names = RuleScope.names(
            section.fields?["names"], expected: "상품명이나 그 일부를", "a part of a name", &diagnostics)
        filter = SubjectFilter(ids: Set(ids), names: names)
    }
}

extension AlertTexts {
    /// Reads a rule's texts; a language that is missing keeps the standard text.
    fileprivate mutating func read(
        _ node: Node, of rule: any Rule.Type, _ diagnostics: inout ConfigurationDiagnosticsError
    ) throws(ConfigurationDiagnostic) {
        let fields = try node.fields(Language.allCases.map(\.rawValue), &diagnostics)
        func template(_ language: Language) -> Template? {
            diagnostics.collect { () throws(ConfigurationDiagnostic) in
                try fields[language.rawValue]?.template(in: language, rule.valueNames)
            } ?? nil
        }
        ko = template(.ko) ?? ko
        en = template(.en) ?? en
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

    fileprivate func template(in language: Language, _ names: [String]) throws(ConfigurationDiagnostic) -> Template {
        let text = try text()
        do throws(TemplateError) {
            return try Template(text, in: language, names: names)
        } catch {
            throw diagnostic(error.text)
        }
    }
}

// MARK: - Scope

/// The movies and markets that all rules of a file, or a single rule, are about.
struct RuleScope: Sendable {
    static let keys = ["movies", "titles", "markets"]

    var filter = SubjectFilter<MovieCode>()
    var markets: Set<Market> = [.all]

    func includes(_ movie: MovieCode?, _ title: String?, _ market: Market) -> Bool {
        markets.contains(market) && filter.includes(movie, title)
    }
}

extension RuleScope {
    /// Reads the scope's keys; a key that is missing takes its value from `outer`.
    init(_ fields: Fields, within outer: RuleScope, _ diagnostics: inout ConfigurationDiagnosticsError) {
        self = outer
        // The two keys count as one: a rule with either is about what it names only.
        if fields["movies"] != nil || fields["titles"] != nil {
            let movies = Self.list(fields["movies"], &diagnostics) { node throws(ConfigurationDiagnostic) in
                try node.value(expected: "20234675 같은 영화 코드를", "a movie's code, such as 20234675", read: MovieCode.init)
            }
            let titles = Self.names(fields["titles"], expected: "영화명이나 그 일부를", "a part of a title", &diagnostics)
            filter = SubjectFilter(ids: Set(movies), names: titles)
        }
        if fields["markets"] != nil {
            let markets = Self.list(fields["markets"], &diagnostics) { node throws(ConfigurationDiagnostic) in
                try node.value(
                    expected: "all이나 nation-K+area-0105001 같은 시장을", "a market, such as all or nation-K+area-0105001",
                    read: Market.init)
            }
            self.markets = Set(markets)
        }
    }

    static func names(
        _ node: Node?, expected ko: String, _ en: String, _ diagnostics: inout ConfigurationDiagnosticsError
    ) -> [String] {
        list(node, &diagnostics) { node throws(ConfigurationDiagnostic) in
            try node.value(expected: ko, en) { $0.comparisonKey.isEmpty ? nil : $0.comparisonKey }
        }
    }

    /// Reads a list; an element that cannot be read is left out and added to `diagnostics`.
    static func list<Value>(
        _ node: Node?, _ diagnostics: inout ConfigurationDiagnosticsError,
        _ read: (Node) throws(ConfigurationDiagnostic) -> Value
    ) -> [Value] {
        guard let node else { return [] }
        guard let nodes = diagnostics.collect({ () throws(ConfigurationDiagnostic) in try node.list() }) else {
            return []
        }
        if nodes.isEmpty {
            diagnostics.add(
                node.diagnostic(
                    "빈 목록에는 아무것도 해당하지 않습니다. 전체를 대상으로 하려면 이 키를 지우세요",
                    "an empty list matches nothing; leave the key out to match all"))
        }
        return nodes.compactMap { element in
            diagnostics.collect { () throws(ConfigurationDiagnostic) in try read(element) }
        }
    }
}

/// Movies or products, by their ids or by parts of their names.
struct SubjectFilter<ID: Hashable & Sendable>: Sendable {
    var ids: Set<ID> = []
    /// The parts of names, as they are compared.
    var names: [String] = []

    /// Whether a movie or product matches; an empty filter matches all.
    func includes(_ id: ID?, _ name: String?) -> Bool {
        if ids.isEmpty, names.isEmpty { return true }
        if let id, ids.contains(id) { return true }
        guard !names.isEmpty, let key = name?.comparisonKey else { return false }
        return names.contains { key.contains($0) }
    }
}

extension String {
    /// A name as it is compared: in lower case and without blanks.
    // The source itself writes both 범죄도시4 and 범죄도시 4.
    fileprivate var comparisonKey: String { lowercased().filter { !$0.isWhitespace } }
}

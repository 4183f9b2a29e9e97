import BoxOffice
import YAML

/// The movies and markets that all rules of a file, or a single rule, are about.
struct RuleScope: Sendable {
    static let keys = ["movies", "titles", "markets"]

    var filter = SubjectFilter<MovieCode>()
    var markets: Set<Market> = [.all]

    /// Whether it has a movie and a market.
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

    /// Reads a list of names or parts of names, as they are compared.
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

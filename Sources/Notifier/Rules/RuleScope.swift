import BoxOffice
import YAML

/// The movies and markets that all rules of a file, or a single rule, are about.
struct RuleScope {
    static let keys = ["films", "titles", "markets"]

    /// The movies.
    var filter = MovieFilter()
    /// The markets.
    var markets: Set<Market> = [.all]

    /// Makes a scope of every movie of the whole market.
    init() {}

    /// Reads the scope's keys; a key that is missing takes its value from `outer`.
    init(_ fields: Fields, within outer: RuleScope, _ diagnostics: inout ConfigurationDiagnosticsError) {
        self = outer
        // The two keys count as one: a rule with either is about what it names only.
        if fields["films"] != nil || fields["titles"] != nil {
            let movies = Self.list(fields["films"], &diagnostics) { node throws(ConfigurationDiagnostic) in
                try node.value(expected: "20234675 같은 영화 코드를", "a film's code, such as 20234675", read: MovieCode.init)
            }
            let titles = Self.list(fields["titles"], &diagnostics) { node throws(ConfigurationDiagnostic) in
                try node.value(expected: "영화명이나 그 일부를", "a part of a title") {
                    MovieFilter.key($0).isEmpty ? nil : MovieFilter.key($0)
                }
            }
            filter = MovieFilter(movies: Set(movies), titles: titles)
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

/// Movies by their codes or by parts of their titles.
struct MovieFilter: Hashable, Sendable {
    /// The codes.
    var movies: Set<MovieCode> = []
    /// The parts of titles, as ``key(_:)`` gives them.
    var titles: [String] = []

    /// Whether a movie matches; an empty filter matches every movie.
    func includes(_ code: MovieCode?, title: String?) -> Bool {
        if movies.isEmpty, titles.isEmpty { return true }
        if let code, movies.contains(code) { return true }
        guard let title, !titles.isEmpty else { return false }
        let key = Self.key(title)
        return titles.contains { key.contains($0) }
    }

    /// Returns a title as it is compared: in lower case and without spaces.
    // The source itself writes both 범죄도시4 and 범죄도시 4.
    static func key(_ title: String) -> String {
        title.lowercased().filter { !$0.isWhitespace }
    }
}

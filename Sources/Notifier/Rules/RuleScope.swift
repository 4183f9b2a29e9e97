import BoxOffice
import YAML

/// Which films of which markets are looked at: by all rules of a file, or by one that says so itself.
struct RuleScope {
    static let keys = ["films", "titles", "markets"]

    /// The films.
    var watch = MovieFilter()
    /// The markets.
    var markets: Set<Market> = [.all]

    /// Every film of the whole market.
    init() {}

    /// Reads what is said, and takes what is not from the scope around.
    init(_ fields: Fields, within outer: RuleScope, _ mistakes: inout ConfigurationDiagnosticsError) {
        self = outer
        // Films and titles together say what is watched: a rule that names either watches only what it names.
        if fields["films"] != nil || fields["titles"] != nil {
            let movies = Self.list(fields["films"], &mistakes) { node throws(ConfigurationDiagnostic) in
                try node.value(expected: "a film's code, such as 20234675", read: MovieCode.init)
            }
            let titles = Self.list(fields["titles"], &mistakes) { node throws(ConfigurationDiagnostic) in
                try node.value(expected: "a part of a title") {
                    MovieFilter.key($0).isEmpty ? nil : MovieFilter.key($0)
                }
            }
            watch = MovieFilter(movies: Set(movies), titles: titles)
        }
        if fields["markets"] != nil {
            let markets = Self.list(fields["markets"], &mistakes) { node throws(ConfigurationDiagnostic) in
                try node.value(expected: "a market, such as all or nation-K+area-0105001", read: Market.init)
            }
            self.markets = Set(markets)
        }
    }

    /// The values of a list; what is none of them is a mistake.
    static func list<Value>(
        _ node: Node?, _ mistakes: inout ConfigurationDiagnosticsError,
        _ read: (Node) throws(ConfigurationDiagnostic) -> Value
    ) -> [Value] {
        guard let node else { return [] }
        guard let nodes = mistakes.collect({ () throws(ConfigurationDiagnostic) in try node.list() }) else { return [] }
        if nodes.isEmpty { mistakes.add(node.diagnostic("an empty list watches nothing; leave it out to watch all")) }
        return nodes.compactMap { element in
            mistakes.collect { () throws(ConfigurationDiagnostic) in try read(element) }
        }
    }
}

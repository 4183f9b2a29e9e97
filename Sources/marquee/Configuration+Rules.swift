import Notifier
import Operations

extension Configuration {
    /// The rule file at `path`, or the one that the environment names, or what counts without one; that with a threshold
    /// of `ranks` for rises and falls.
    func ruleFile(_ path: String? = nil, ranks: Int? = nil) throws -> RuleFile {
        guard let path = path ?? rules else {
            return ranks.map { RuleFile(rules: AlertRules(threshold: $0)) } ?? .standard
        }
        guard ranks == nil else {
            throw UsageError("--ranks means nothing beside the rules of \(path): say `by` there")
        }
        return try RuleFile.read(path: path)
    }
}

extension Usage.Option {
    /// The built-in rules' threshold.
    static let ranks = Usage.Option(
        name: "--ranks", value: "N",
        meaning: "how many ranks a film has to rise or fall (default 3), without a rule file")
}

extension Arguments {
    /// The built-in rules' threshold, if it is given.
    func ranks() throws(UsageError) -> Int? {
        try value(Usage.Option.ranks.name, expected: "a number from 1 on") { text in
            Int(text).flatMap { $0 > 0 ? $0 : nil }
        }
    }
}

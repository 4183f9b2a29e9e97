import Notifier
import Operations

extension Configuration {
    /// The rules of a file, or of the one that the environment names, or the built-in ones; these with a threshold of
    /// `ranks` for rises and falls.
    func alertRules(file: String? = nil, ranks: Int?) throws -> AlertRules {
        guard let path = file ?? rules else {
            return ranks.map { AlertRules(threshold: $0) } ?? RuleFile.standard.rules
        }
        guard ranks == nil else {
            throw UsageError("--ranks means nothing beside the rules of \(path): say `by` there")
        }
        return try RuleFile.read(path: path).rules
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

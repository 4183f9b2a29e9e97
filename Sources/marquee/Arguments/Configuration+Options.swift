import EventStore
import Notifier
import Operations
import Sandbox
import Worker

extension Configuration {
    /// Reads the rule file at `path`, or else at `MARQUEE_RULES`; without either, returns the built-in rules.
    ///
    /// - Parameter ranks: the threshold of the built-in rules for rises and falls
    /// - Throws: `UsageError` if `ranks` is given beside a rule file; `ConfigurationDiagnosticsError` if the file is
    ///   invalid.
    func ruleFile(_ path: String? = nil, ranks: Int? = nil) throws -> RuleFile {
        guard let path = path ?? rules else {
            return ranks.map { RuleFile(rules: AlertRules(threshold: $0)) } ?? .standard
        }
        guard ranks == nil else {
            throw UsageError("--ranks applies only to the built-in rules; set `by` in \(path) instead")
        }
        return try RuleFile.read(path: path)
    }
}

extension Usage.Option {
    /// The threshold of the built-in rules.
    static let ranks = Usage.Option(
        name: "--ranks", value: "N",
        meaning: "how many ranks a film has to rise or fall (default 3), without a rule file")
}

extension Arguments {
    /// Returns the threshold of the built-in rules, if it was given.
    func ranks() throws(UsageError) -> Int? {
        try value(Usage.Option.ranks.name, expected: "a number of at least 1") { text in
            Int(text).flatMap { $0 > 0 ? $0 : nil }
        }
    }
}

extension Configuration {
    /// Returns the database of the worker's log or of the notifier's.
    func logDatabase(ofAlerts: Bool) -> LogDatabase {
        ofAlerts ? NotifierProcess.logFile(inFolder: dataFolder) : WorkerProcess.logFile(inFolder: dataFolder)
    }
}

extension Usage.Option {
    /// Selects the notifier's log instead of the worker's.
    static let alerts = Usage.Option(name: "--alerts", meaning: "the notifier's database instead of the worker's")
}

extension Configuration {
    /// Returns a logger with the configured level and format that redacts the configured secrets and `others`.
    func logger(_ label: StaticString, secrets others: [Secret] = []) -> Logger {
        Logger(label: label, level: logLevel, format: logFormat, secrets: secrets + others)
    }
}

extension Configuration {
    /// Returns a configuration that uses the sandbox for all upstreams, or this one if it has a KOBIS key.
    func withSandbox() -> Configuration {
        guard kobis.key == nil else { return self }
        var configuration = self
        configuration.kobis.url = "\(sandboxHTTP.url)\(SandboxServer.kobisPath)"
        configuration.kobis.key = Secret(SandboxOptions.anyKobisKey)
        configuration.kakao.url = sandboxHTTP.url
        configuration.kakao.key = Secret(SandboxOptions.anyKakaoKey)
        if openMarket.url == nil {
            configuration.openMarket.url = "\(sandboxHTTP.url)\(SandboxServer.openMarketPath)"
            configuration.openMarket.generation = .v3
            configuration.openMarket.identifier = Secret(SandboxOptions.anyOpenMarketIdentifier)
            configuration.openMarket.secret = Secret(SandboxOptions.anyOpenMarketSecret)
        }
        configuration.allowsPrivateImages = true
        return configuration
    }
}

extension Usage.Option {
    /// `--crash-at`: the chaos tests use it to prove that no step loses data.
    static let crashAt = Usage.Option(
        name: "--crash-at", value: "STEP[:N]", meaning: "die the N-th time this step is reached (docs/reliability.md)",
        isHidden: true)
}

extension Arguments {
    /// Returns the steps to crash at, if `--crash-at` was given.
    func failPoints() throws(UsageError) -> FailPoints {
        let steps = FailPoint.allCases.map(\.rawValue).joined(separator: ", ")
        return try value("--crash-at", expected: "one of \(steps), optionally followed by :N") { FailPoints($0) }
            ?? .none
    }
}

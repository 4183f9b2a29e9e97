import Contract
public import YAML

extension SinkConfiguration {
    /// The keys that every kind of sink takes.
    private static let common = [
        "kind", "language", "rules", "severity", "cooldown", "quietHours", "digest", "rate", "attempts",
    ]

    /// Reads the `sinks:` of a rule file: a mapping of names to sinks. All that is wrong goes to `mistakes`.
    ///
    /// Files that hold secrets are read, too. No mistake shows a secret.
    public static func read(_ section: Node, _ mistakes: inout ConfigurationDiagnosticsError) -> [SinkConfiguration] {
        let entries = mistakes.collect { () throws(ConfigurationDiagnostic) in try section.entries() } ?? []
        return entries.compactMap { entry in
            do throws(ConfigurationDiagnostic) {
                return try SinkConfiguration(entry, &mistakes)
            } catch {
                mistakes.add(error)
                return nil
            }
        }
    }

    private init?(_ entry: Node.Entry, _ mistakes: inout ConfigurationDiagnosticsError) throws(ConfigurationDiagnostic)
    {
        guard entry.key.isSinkName else {
            throw ConfigurationDiagnostic(
                at: entry.position, path: entry.value.path, "a sink's name has 1 to 40 letters, digits, hyphens and _")
        }
        // The kind first: it says which keys there are.
        guard let word = try entry.value.entries().first(where: { $0.key == "kind" }) else {
            throw entry.value.diagnostic("kind is missing")
        }
        let kind = try word.value.choice(of: SinkKind.self)
        let fields = try entry.value.fields(Self.common + kind.keys, &mistakes)
        var reader = SinkConfigurationParser(fields, of: entry.value, mistakes)
        let destination = reader.destination(kind)
        language = reader.value("language") { node throws(ConfigurationDiagnostic) in try node.choice() } ?? .ko
        severity = reader.value("severity") { node throws(ConfigurationDiagnostic) in try node.choice() } ?? .info
        rules = reader.value("rules") { node throws(ConfigurationDiagnostic) in
            Set(
                try node.list().map { rule throws(ConfigurationDiagnostic) in
                    try rule.choice(of: AlertRule.self).rawValue
                })
        }
        cooldown = reader.value("cooldown") { node throws(ConfigurationDiagnostic) in
            try node.value(expected: "a span such as 12h or 3d") { Duration(span: $0) }
        }
        timetable = DeliveryPolicy(
            sink: entry.key,
            quietHours: reader.value("quietHours") { node throws(ConfigurationDiagnostic) in
                try node.value(expected: "hours such as 23:00-08:00") { QuietHours($0) }
            },
            digest: reader.value("digest") { node throws(ConfigurationDiagnostic) in
                try node.value(expected: "a time such as 09:00") { TimeOfDay($0) }
            },
            rate: reader.value("rate") { node throws(ConfigurationDiagnostic) in
                try node.value(expected: "a rate such as 20/1m") { RateLimit($0) }
            })
        backoff = Backoff()
        if let attempts = reader.value(
            "attempts", { node throws(ConfigurationDiagnostic) in try node.integer(in: 1...1_000) })
        {
            backoff.attempts = attempts
        }
        name = entry.key
        secrets = reader.secrets
        mistakes = reader.mistakes
        guard let destination else { return nil }
        self.destination = destination
    }
}

extension String {
    /// Whether the text can name a sink: in a command, a metric's label, a key.
    fileprivate var isSinkName: Bool {
        (1...40).contains(utf8.count) && first != "-"
            && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    }
}

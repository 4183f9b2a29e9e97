import Contract
import Operations
public import YAML

/// A file in which somebody says which alerts they want: docs/rules.md tells how.
public struct RuleFile: Sendable {
    /// The rules that are in force.
    public let rules: AlertRules
    /// Where alerts are sent.
    public let sinks: [SinkConfiguration]

    /// What counts where there is no file: the contract's five rules.
    ///
    /// See docs/decisions/0015-default-alert-rules.md.
    public static let standard = RuleFile(rules: AlertRules())

    /// Makes what a file with these rules and sinks says.
    public init(rules: AlertRules, sinks: [SinkConfiguration] = []) {
        self.rules = rules
        self.sinks = sinks
    }

    /// Reads the text of a rule file, or throws all that is wrong with it.
    public static func read(_ text: [UInt8], file: String) throws(ConfigurationDiagnosticsError) -> RuleFile {
        var mistakes = ConfigurationDiagnosticsError()
        var found = RuleFile.standard
        do throws(ConfigurationDiagnostic) {
            found = try read(text, file: file, &mistakes)
        } catch {
            mistakes.add(error)
        }
        guard mistakes.diagnostics.isEmpty else { throw mistakes }
        return found
    }

    /// Reads the file at `path`, or throws all that is wrong with it.
    public static func read(path: String) throws(ConfigurationDiagnosticsError) -> RuleFile {
        let text: [UInt8]
        do throws(BoundedFileError) {
            text = try BoundedFile.contents(of: path, limit: Node.maximumSize)
        } catch {
            throw ConfigurationDiagnosticsError(
                ConfigurationDiagnostic(at: SourcePosition(file: path, line: 1, column: 1), "cannot be read: \(error)"))
        }
        return try read(text, file: path)
    }

    private static func read(
        _ text: [UInt8], file: String, _ mistakes: inout ConfigurationDiagnosticsError
    ) throws(ConfigurationDiagnostic) -> RuleFile {
        guard let document = try Node.read(text, file: file) else { return .standard }
        let fields = try document.fields(RuleScope.keys + ["rules", "sinks"], &mistakes)
        let scope = RuleScope(fields, within: RuleScope(), &mistakes)
        var entries = AlertRules.standard.map { AlertRules.Entry($0, scope) }
        var products: [AlertRules.ProductEntry] = []
        if let section = fields["rules"] {
            let words = try section.fields(AlertRule.allCases.map(\.rawValue), &mistakes)
            entries = AlertRule.allCases.filter { !$0.isAboutProducts }.compactMap { word in
                words[word.rawValue].flatMap { AlertRules.Entry(word, $0, scope, &mistakes) }
            }
            products = AlertRule.allCases.filter(\.isAboutProducts).compactMap { word in
                words[word.rawValue].flatMap { AlertRules.ProductEntry(word, $0, &mistakes) }
            }
        }
        let sinks = fields["sinks"].map { SinkConfiguration.read($0, &mistakes) } ?? []
        return RuleFile(rules: AlertRules(entries, products: products), sinks: sinks)
    }
}

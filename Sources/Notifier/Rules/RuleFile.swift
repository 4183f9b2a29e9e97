import Contract
import Operations
import Text
public import YAML

/// A file with the rules in force and the sinks that alerts are delivered to; docs/rules.md describes it.
public struct RuleFile: Sendable {
    /// The rules in force.
    public let rules: AlertRules
    /// The sinks.
    public let sinks: [SinkConfiguration]

    /// The contract's five rules and no sinks, for when there is no file.
    ///
    /// A file without the section `rules` activates the five, too; one with it, exactly the rules that it names.
    public static let standard = RuleFile(rules: AlertRules())

    /// Makes the contents of a file.
    public init(rules: AlertRules, sinks: [SinkConfiguration] = []) {
        self.rules = rules
        self.sinks = sinks
    }

    /// Reads the text of a rule file.
    ///
    /// - Parameter file: the name for diagnostics.
    /// - Throws: all errors in the text at once.
    public static func read(_ text: [UInt8], file: String) throws(ConfigurationDiagnosticsError) -> RuleFile {
        var diagnostics = ConfigurationDiagnosticsError()
        var found = RuleFile.standard
        do throws(ConfigurationDiagnostic) {
            found = try read(text, file: file, &diagnostics)
        } catch {
            diagnostics.add(error)
        }
        guard diagnostics.diagnostics.isEmpty else { throw diagnostics }
        return found
    }

    /// Reads the file at `path`.
    ///
    /// - Throws: all errors in the file at once.
    public static func read(path: String) throws(ConfigurationDiagnosticsError) -> RuleFile {
        let text: [UInt8]
        do throws(BoundedFileError) {
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
        _ text: [UInt8], file: String, _ diagnostics: inout ConfigurationDiagnosticsError
    ) throws(ConfigurationDiagnostic) -> RuleFile {
        guard let document = try Node.read(text, file: file, &diagnostics) else { return .standard }
        let fields = try document.fields(RuleScope.keys + ["rules", "sinks"], &diagnostics)
        let scope = RuleScope(fields, within: RuleScope(), &diagnostics)
        var entries = AlertRules.standard.map { AlertRules.Entry($0, scope) }
        var products: [AlertRules.ProductEntry] = []
        if let section = fields["rules"], let nodes = nodes(of: section, &diagnostics) {
            entries = AlertRule.allCases.filter { !$0.isAboutProducts }.compactMap { name in
                nodes[name.rawValue].flatMap { AlertRules.Entry(name, $0, scope, &diagnostics) }
            }
            products = AlertRule.allCases.filter(\.isAboutProducts).compactMap { name in
                nodes[name.rawValue].flatMap { AlertRules.ProductEntry(name, $0, &diagnostics) }
            }
        }
        let sinks = fields["sinks"].map { SinkConfiguration.read($0, &diagnostics) } ?? []
        return RuleFile(rules: AlertRules(entries, products: products), sinks: sinks)
    }

    /// Returns the rules of a section by their names; nil if it cannot be read, so that the mistakes in the rest of the file
    /// are found, too.
    private static func nodes(of section: Node, _ diagnostics: inout ConfigurationDiagnosticsError) -> Fields? {
        do throws(ConfigurationDiagnostic) {
            if let word = section.ruleWithoutColon {
                throw section.diagnostic(
                    "규칙 이름 뒤에 콜론이 없습니다. '\(word):'처럼 쓰세요", "a rule is written with a colon: '\(word):'")
            }
            return try section.fields(AlertRule.allCases.map(\.rawValue), &diagnostics)
        } catch {
            diagnostics.add(error)
            return nil
        }
    }
}

extension Node {
    /// The first name of a rule in a section that was written without colons, as a word or a list.
    fileprivate var ruleWithoutColon: String? {
        switch content {
        case .scalar(let text, _) where !isNull:
            text.parts(between: " ").map(String.init).first { AlertRule(rawValue: $0) != nil }
        case .sequence(let nodes):
            nodes.lazy.compactMap { node -> String? in
                guard case .scalar(let text, _) = node.content, AlertRule(rawValue: text) != nil else { return nil }
                return text
            }.first
        default: nil
        }
    }
}

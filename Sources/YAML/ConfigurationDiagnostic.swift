public import Text

/// An error in a configuration file: its position, the keys that lead to it, and a message for the author.
public struct ConfigurationDiagnostic: BilingualError, Hashable, Sendable {
    /// The position of the value or key that is wrong.
    public let position: SourcePosition
    /// The keys that lead to the value, such as `rules.rose.threshold` or `sinks[2].url`; empty for the whole file.
    public let path: String
    /// What is wrong, and where it helps, what to write instead.
    public let message: BilingualText

    /// Makes a diagnostic; the message is a sentence without a capital or a full stop.
    public init(at position: SourcePosition, path: String = "", _ message: BilingualText) {
        self.position = position
        self.path = path
        self.message = message
    }

    /// Makes a diagnostic with a message in both languages.
    public init(at position: SourcePosition, path: String = "", _ ko: String, _ en: String) {
        self.init(at: position, path: path, BilingualText(ko, en))
    }

    /// One line: `rules.yml:12:9: rules.rose.threshold: 'three' is not a whole number`.
    public var text: BilingualText {
        let place = "\(position): " + (path.isEmpty ? "" : "\(path): ")
        return BilingualText(place + message.text(in: .ko), place + message.text(in: .en))
    }
}

/// All diagnostics of a file, so that its author sees them at once.
public struct ConfigurationDiagnosticsError: BilingualError, Hashable, Sendable {
    /// The diagnostics in the order of their positions.
    public private(set) var diagnostics: [ConfigurationDiagnostic] = []

    /// Makes an error without diagnostics.
    public init() {}

    /// Makes an error with one diagnostic.
    public init(_ diagnostic: ConfigurationDiagnostic) {
        diagnostics = [diagnostic]
    }

    /// Calls `read` and returns its value; adds the diagnostic that it throws and returns nil.
    @discardableResult
    public mutating func collect<Value>(_ read: () throws(ConfigurationDiagnostic) -> Value) -> Value? {
        do throws(ConfigurationDiagnostic) {
            return try read()
        } catch {
            add(error)
            return nil
        }
    }

    /// Adds a diagnostic, unless an equal one was added before.
    public mutating func add(_ diagnostic: ConfigurationDiagnostic) {
        guard !diagnostics.contains(diagnostic) else { return }
        let place = (diagnostic.position.line, diagnostic.position.column)
        let next = diagnostics.firstIndex { ($0.position.line, $0.position.column) > place }
        diagnostics.insert(diagnostic, at: next ?? diagnostics.endIndex)
    }

    /// Adds the diagnostics of another error.
    public mutating func add(_ other: ConfigurationDiagnosticsError) {
        for diagnostic in other.diagnostics { add(diagnostic) }
    }

    /// The diagnostics, one per line.
    public var text: BilingualText {
        func lines(in language: Language) -> String {
            diagnostics.map { $0.text(in: language) }.joined(separator: "\n")
        }
        return BilingualText(lines(in: .ko), lines(in: .en))
    }
}

/// A line and a column of a file.
public struct SourcePosition: Hashable, Sendable, CustomStringConvertible {
    /// The name of the file, as the caller gave it.
    public let file: String
    /// The line, from 1.
    public let line: Int
    /// The column in characters, from 1.
    public let column: Int

    /// Makes a position.
    public init(file: String, line: Int, column: Int) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// `rules.yml:12:9`, a form that editors and terminals can open.
    public var description: String { "\(file):\(line):\(column)" }
}

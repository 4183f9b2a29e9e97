/// Something in a file that cannot be read as it was meant.
public struct ConfigurationDiagnostic: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where it stands.
    public let place: SourcePosition
    /// The keys on the way there, such as `rules.rose.threshold` or `sinks[2].url`; empty for the whole file.
    public let path: String
    /// What is wrong.
    public let problem: String

    /// Makes a mistake.
    public init(at place: SourcePosition, path: String = "", _ problem: String) {
        self.place = place
        self.path = path
        self.problem = problem
    }

    /// One line: `rules.yml:12:9: rules.rose.threshold: 'three' is no whole number`.
    public var description: String {
        "\(place): " + (path.isEmpty ? "" : "\(path): ") + problem
    }
}

/// The mistakes of a file, gathered so that its author sees all of them at once.
public struct ConfigurationDiagnosticsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The mistakes, in the order of the file.
    public private(set) var all: [ConfigurationDiagnostic] = []

    /// Makes an empty collection.
    public init() {}

    /// Makes a collection of one.
    public init(_ mistake: ConfigurationDiagnostic) {
        all = [mistake]
    }

    /// What `read` returns; nil if it finds a mistake, which is kept.
    @discardableResult
    public mutating func gather<Value>(_ read: () throws(ConfigurationDiagnostic) -> Value) -> Value? {
        do throws(ConfigurationDiagnostic) {
            return try read()
        } catch {
            add(error)
            return nil
        }
    }

    /// Keeps a mistake; the same one twice counts once.
    public mutating func add(_ mistake: ConfigurationDiagnostic) {
        guard !all.contains(mistake) else { return }
        let later = all.firstIndex { ($0.place.line, $0.place.column) > (mistake.place.line, mistake.place.column) }
        all.insert(mistake, at: later ?? all.endIndex)
    }

    /// One line each.
    public var description: String {
        all.map(\.description).joined(separator: "\n")
    }
}

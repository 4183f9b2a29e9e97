/// A strict parser of the Prometheus text format, version 0.0.4, which also enforces conventions and recommendations.
public struct Exposition: Sendable {
    /// An error, with the line that has it.
    public struct FormatError: Error, CustomStringConvertible {
        /// The description and the line.
        public let description: String
    }

    /// One sample.
    public struct Sample: Sendable {
        /// The name in the line.
        public let name: String
        /// The labels, unescaped.
        public let labels: [String: String]
        /// The value.
        public let value: Double
    }

    /// A metric with its samples.
    public struct Family: Sendable {
        /// The help text, unescaped.
        public let help: String
        /// The type.
        public fileprivate(set) var type = ""
        /// The samples, in order.
        public fileprivate(set) var samples: [Sample] = []
    }

    /// The metrics by name.
    public private(set) var families: [String: Family] = [:]

    /// Parses a text, in which each metric has its HELP, its TYPE and its samples, in this order.
    ///
    /// - Throws: `FormatError` at the first violation.
    public init(_ text: String) throws(FormatError) {
        guard text.isEmpty || text.hasSuffix("\n") else { throw FormatError(description: "the last line has no end") }
        var current = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            var scanner = Scanner(line)
            if scanner.take("# HELP ") {
                current = try scanner.name()
                try scanner.expect(" ")
                guard families[current] == nil else { throw scanner.formatError("\(current) comes twice") }
                families[current] = Family(help: try scanner.text(until: nil, escapes: ["\\": "\\", "n": "\n"]))
            } else if scanner.take("# TYPE ") {
                try scanner.expect(current + " ")
                let type = String(scanner.rest)
                guard ["counter", "gauge", "histogram"].contains(type) else { throw scanner.formatError("no type") }
                guard families[current]?.type == "" else { throw scanner.formatError("not after its HELP") }
                if type == "counter", !current.hasSuffix("_total") { throw scanner.formatError("no _total") }
                families[current]?.type = type
            } else {
                let sample = try scanner.sample()
                guard let family = families[current], family.type != "" else { throw scanner.formatError("no TYPE") }
                let suffixes = family.type == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
                guard suffixes.contains(where: { current + $0 == sample.name }) else {
                    throw scanner.formatError("not of \(current)")
                }
                if family.samples.contains(where: { $0.name == sample.name && $0.labels == sample.labels }) {
                    throw scanner.formatError("the same labels twice")
                }
                if family.type != "gauge", !(sample.value >= 0) { throw scanner.formatError("below zero") }
                families[current]?.samples.append(sample)
            }
        }
        for (name, family) in families where family.type == "histogram" { try Self.check(name, family) }
    }

    /// The value of a sample.
    public subscript(name: String, labels: [String: String]) -> Double? {
        families.values.lazy.flatMap(\.samples).first { $0.name == name && $0.labels == labels }?.value
    }

    /// The value of a sample without labels.
    public subscript(name: String) -> Double? { self[name, [:]] }

    /// Checks a histogram: the buckets increase, the last is +Inf and equals the count, and there is one sum.
    private static func check(_ name: String, _ family: Family) throws(FormatError) {
        func formatError(_ what: String) -> FormatError { FormatError(description: "\(name): \(what)") }
        let groups = Dictionary(grouping: family.samples) { $0.labels.filter { $0.key != "le" } }
        for (labels, samples) in groups {
            let buckets = samples.filter { $0.name == name + "_bucket" }
            let bounds = buckets.compactMap { $0.labels["le"].flatMap(Scanner.number) }
            guard bounds.count == buckets.count, bounds.last == .infinity else {
                throw formatError("bounds of \(labels)")
            }
            guard bounds == bounds.sorted(), buckets.map(\.value) == buckets.map(\.value).sorted() else {
                throw formatError("buckets of \(labels) do not grow")
            }
            let counts = samples.filter { $0.name == name + "_count" }.map(\.value)
            guard counts == [buckets.last?.value] else { throw formatError("count of \(labels)") }
            guard samples.count == buckets.count + 2 else { throw formatError("sum of \(labels)") }
        }
    }
}

/// A parser of one line.
private struct Scanner {
    private let line: Substring
    private(set) var rest: Substring

    init(_ line: Substring) {
        self.line = line
        rest = line
    }

    func formatError(_ what: String) -> Exposition.FormatError {
        Exposition.FormatError(description: "\(what): \(line)")
    }

    mutating func take(_ text: String) -> Bool {
        guard rest.hasPrefix(text) else { return false }
        rest = rest.dropFirst(text.count)
        return true
    }

    mutating func expect(_ text: String) throws(Exposition.FormatError) {
        guard take(text) else { throw formatError("expected \(text) at \(rest)") }
    }

    mutating func name(allowsColon: Bool = true) throws(Exposition.FormatError) -> String {
        let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || allowsColon && $0 == ":") }
        guard let first = name.first, !first.isNumber else { throw formatError("no name at \(rest)") }
        rest = rest.dropFirst(name.count)
        return String(name)
    }

    mutating func text(until end: Character?, escapes: [Character: Character]) throws(Exposition.FormatError) -> String
    {
        var text = ""
        while let character = rest.popFirst() {
            if character == end { return text }
            if character != "\\" {
                text.append(character)
            } else if let escaped = rest.popFirst().flatMap({ escapes[$0] }) {
                text.append(escaped)
            } else {
                throw formatError("a backslash before \(rest)")
            }
        }
        guard end == nil else { throw formatError("no end of the text") }
        return text
    }

    mutating func sample() throws(Exposition.FormatError) -> Exposition.Sample {
        let name = try name()
        var labels: [String: String] = [:]
        if take("{") {
            repeat {
                let label = try self.name(allowsColon: false)
                guard !label.hasPrefix("__"), labels[label] == nil else { throw formatError("the label \(label)") }
                try expect("=\"")
                labels[label] = try text(until: "\"", escapes: ["\\": "\\", "n": "\n", "\"": "\""])
            } while take(",")
            try expect("}")
        }
        try expect(" ")
        guard let value = Self.number(rest) else { throw formatError("no number: \(rest)") }
        return Exposition.Sample(name: name, labels: labels, value: value)
    }

    /// Parses a number in Go's format, as Prometheus does; rejects other formats that Swift would accept.
    static func number(_ text: some StringProtocol) -> Double? {
        switch text {
        case "+Inf": .infinity
        case "-Inf": -.infinity
        case "NaN": .nan
        default: text.allSatisfy { "0123456789+-.e".contains($0) } ? Double(text) : nil
        }
    }
}

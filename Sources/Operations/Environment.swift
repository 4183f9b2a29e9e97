import FoundationEssentials
import Text

/// The variables that are ours, and how each kind of them is read.
struct Environment {
    /// By name; none is empty.
    let values: [String: String]

    /// Keeps our variables; one that begins like ours and is not known is an error.
    init(_ all: [String: String]) throws(ConfigurationError) {
        let ours = all.filter { $0.key.hasPrefix(EnvironmentVariable.prefix) }
        for name in ours.keys.sorted() where !EnvironmentVariable.names.contains(name) {
            let nearest = EnvironmentVariable.names.nearest(to: name) ?? EnvironmentVariable.prefix
            throw ConfigurationError(name, "not known; did you mean \(nearest)?")
        }
        values = ours.filter { !$0.value.isEmpty }
    }

    /// The variable's text, if it was given.
    subscript(variable: EnvironmentVariable) -> String? { values[variable.rawValue] }

    /// Reads a variable, or its standard where it is not given.
    func value<Value>(
        _ variable: EnvironmentVariable, expected: String, read: (String) -> Value?
    ) throws(ConfigurationError) -> Value {
        let text = self[variable] ?? variable.standard ?? ""
        guard let value = read(text) else {
            throw ConfigurationError(variable.rawValue, "\(text.shortened.quoted) is not valid; expected \(expected)")
        }
        return value
    }

    func zeroMQAddress(_ variable: EnvironmentVariable) throws(ConfigurationError) -> ZeroMQAddress {
        try value(
            variable, expected: "tcp://host:port, the port a number or *, or ipc://path", read: ZeroMQAddress.init)
    }

    func httpAddress(_ variable: EnvironmentVariable) throws(ConfigurationError) -> HTTPAddress {
        try value(
            variable, expected: "host:port, such as \(variable.standard ?? "127.0.0.1:0")", read: HTTPAddress.init)
    }

    func limit(_ variable: EnvironmentVariable) throws(ConfigurationError) -> Int {
        try value(variable, expected: "a whole number from 1 on") { text in
            Int(text).flatMap { $0 > 0 ? $0 : nil }
        }
    }

    /// Reads a switch; nil where it is not given.
    func isOn(_ variable: EnvironmentVariable) throws(ConfigurationError) -> Bool? {
        guard self[variable] != nil else { return nil }
        return try value(variable, expected: "on or off") { ["on": true, "off": false][$0] }
    }

    /// The name of a key, which is also that of its file.
    func keyName(_ variable: EnvironmentVariable) throws(ConfigurationError) -> String {
        try value(variable, expected: "a name, such as \(variable.standard ?? "client")") { name in
            name.hasPrefix(".") || name.contains("/") || name.unicodeScalars.contains(where: \.isUnprintable)
                ? nil : name
        }
    }

    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ variable: EnvironmentVariable
    ) throws(ConfigurationError) -> Choice {
        let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        return try value(variable, expected: "one of \(names)", read: Choice.init(rawValue:))
    }

    /// Reads a URL; what is wrong with it is told without showing it, because people put passwords into URLs.
    func url(_ variable: EnvironmentVariable) throws(ConfigurationError) -> String {
        func wrong(_ what: String) -> ConfigurationError {
            ConfigurationError(
                variable.rawValue, "\(what); expected http://host/path or https://host/path, without query or password")
        }
        let text = self[variable] ?? variable.standard ?? ""
        guard let url = URL(string: text), !text.unicodeScalars.contains(where: { $0 == " " || $0.isUnprintable })
        else {
            throw wrong("not a URL")
        }
        guard url.scheme == "http" || url.scheme == "https" else { throw wrong("the scheme is neither http nor https") }
        guard let host = url.host(), !host.isEmpty else { throw wrong("the host is missing") }
        guard url.port.map({ (1...65_535).contains($0) }) ?? true else { throw wrong("the port is not valid") }
        guard url.user() == nil, url.password() == nil else { throw wrong("it holds a user or a password") }
        guard url.query() == nil, url.fragment() == nil else { throw wrong("it holds a query or a fragment") }
        return String(text.reversed().drop { $0 == "/" }.reversed())
    }
}

extension String {
    /// The text, cut to a length that an error message can bear.
    fileprivate var shortened: String { count > 100 ? prefix(100) + "…" : self }
}

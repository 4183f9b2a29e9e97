import FoundationEssentials
import Text

/// The variables that begin with `MARQUEE_`, and how each kind of value is read.
final class Environment {
    /// Values by variable name.
    private let values: [String: String]
    /// The names that were asked for: all that exist, once the configuration is read.
    private var names: [String] = []
    /// The names of the variables that hold a secret itself.
    private(set) var secretsInEnvironment: [String] = []

    /// Takes what begins with `MARQUEE_` from all variables of the process.
    init(_ variables: [String: String]) {
        values = variables.filter { name, value in name.hasPrefix("MARQUEE_") && !Self.isServiceLink(name, value) }
    }

    /// Throws for a name that nothing has asked for; the error suggests the nearest known one.
    func checkNames() throws(ConfigurationError) {
        guard let name = values.keys.sorted().first(where: { !names.contains($0) }) else { return }
        let nearest = names.nearest(to: name) ?? "MARQUEE_"
        throw ConfigurationError(
            name, "없는 환경 변수입니다. 비슷한 변수: \(nearest)", "unknown variable; did you mean \(nearest)?")
    }

    /// Whether Kubernetes has set the variable, which describes services to their neighbours in names that begin like ours.
    private static func isServiceLink(_ name: String, _ value: String) -> Bool {
        name.contains("_SERVICE_HOST") || name.contains("_SERVICE_PORT") || name.contains("_PORT_")
            || name.hasSuffix("_PORT") && value.contains("://")
    }

    /// The value of a variable; nil if it is not set or is empty.
    subscript(name: String) -> String? {
        names.append(name)
        let text = values[name]?.unwrapped(assignedTo: name) ?? ""
        return text.isEmpty ? nil : text
    }

    /// Returns the value of a variable, or its default, as `read` understands it.
    private func value<Value>(
        _ variable: String, or standard: String = "", expected: BilingualText, read: (String) -> Value?
    ) throws(ConfigurationError) -> Value {
        let text = self[variable] ?? standard
        guard let value = read(text) else {
            let quoted = text.excerpt.visiblyQuoted
            throw ConfigurationError(
                variable, "값이 올바르지 않습니다(\(quoted)). 사용할 수 있는 값: \(expected.text(in: .ko))",
                "\(quoted) is not valid; expected \(expected)")
        }
        return value
    }

    // MARK: Numbers and words

    func limit(_ variable: String, or standard: Int) throws(ConfigurationError) -> Int {
        try integer(variable, or: standard, in: 1...1_000_000_000)
    }

    /// Returns a whole number.
    func integer(
        _ variable: String, or standard: Int = 0, in range: ClosedRange<Int>, of unit: String? = nil,
        _ noun: String = "a whole number"
    ) throws(ConfigurationError) -> Int {
        let (first, last) = (range.lowerBound, range.upperBound)
        let expected = BilingualText(
            "\(first)~\(last)의 정수" + (unit.map { "(\($0))" } ?? ""), "\(noun) from \(first) to \(last)")
        return try value(variable, or: String(standard), expected: expected) { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// Returns whether a value is `on`, and not `off`.
    func flag(_ variable: String, or standard: String) throws(ConfigurationError) -> Bool {
        try value(variable, or: standard, expected: BilingualText("on, off", "on or off")) {
            ["on": true, "off": false][$0]
        }
    }

    /// Returns what `read` makes of a variable; nil if it is not set.
    func optional<Value>(
        _ variable: String, _ read: (String, String) throws(ConfigurationError) -> Value
    ) throws(ConfigurationError) -> Value? {
        self[variable] == nil ? nil : try read(variable, "")
    }

    /// Returns whether a variable is set; `word` is the only value that it may have.
    func isGiven(_ variable: String, as word: String) throws(ConfigurationError) -> Bool {
        guard self[variable] != nil else { return false }
        let expected = BilingualText("\(word) 또는 빈 값", "\(word), or no value")
        return try value(variable, expected: expected) { $0 == word ? true : nil }
    }

    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ variable: String, or standard: String
    ) throws(ConfigurationError) -> Choice {
        let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        return try value(
            variable, or: standard, expected: BilingualText(names, "one of \(names)"), read: Choice.init(rawValue:))
    }

    // MARK: Addresses and paths

    func zeroMQAddress(_ variable: String, or standard: String) throws(ConfigurationError) -> ZeroMQAddress {
        try value(
            variable, or: standard,
            expected: BilingualText(
                "tcp://호스트:포트(호스트는 이름, 127.0.0.1 같은 IP 주소 또는 *, 포트는 숫자 또는 *), ipc://경로",
                "tcp://host:port with a name, an IP address such as 127.0.0.1 or * as host and a number or * as port, "
                    + "or ipc://path"), read: ZeroMQAddress.init)
    }

    func httpAddress(_ variable: String, or standard: String) throws(ConfigurationError) -> HTTPAddress {
        let example = standard.isEmpty ? "127.0.0.1:0" : standard
        return try value(
            variable, or: standard, expected: BilingualText("호스트:포트. 예: \(example)", "host:port, such as \(example)"),
            read: HTTPAddress.init)
    }

    /// Reads IP addresses, separated by commas.
    func ipAddresses(_ variable: String) throws(ConfigurationError) -> [String] {
        let expected = BilingualText("포트 없는 IP 주소, 여러 개는 쉼표로 구분", "IP addresses without ports, separated by commas")
        return try list(variable, expected: expected) { IPAddress($0) != nil }
    }

    /// Reads host names, separated by commas.
    func hostNames(_ variable: String) throws(ConfigurationError) -> [String] {
        let expected = BilingualText("포트 없는 호스트 이름, 여러 개는 쉼표로 구분", "host names without ports, separated by commas")
        return try list(variable, expected: expected) { name in
            !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"*:/@[]".utf8.contains($0) }
        }
    }

    /// Reads the hosts of processes that share a database, separated by commas.
    func hosts(_ variable: String) throws(ConfigurationError) -> [String] {
        let expected = BilingualText(
            "포트 없는 호스트 이름이나 IP 주소(콜론이 있으면 대괄호로 감쌈), 여러 개는 쉼표로 구분",
            "hosts without ports, separated by commas, IPv6 addresses in brackets")
        return try list(variable, expected: expected) { ZeroMQAddress("tcp://\($0):1") != nil }
    }

    /// Reads words that `isValid` accepts, separated by commas.
    private func list(
        _ variable: String, expected: BilingualText, where isValid: (String) -> Bool
    ) throws(ConfigurationError) -> [String] {
        try value(variable, expected: expected) { text in
            let words = text.parts(between: ",").map { String($0).trimmed }
            return words.allSatisfy(isValid) ? words : nil
        }
    }

    /// Reads a path, and makes it absolute: a message with a relative one says nothing in another working directory.
    func absolutePath(_ variable: String, or standard: String) throws(ConfigurationError) -> String {
        let path = try checkedPath(self[variable] ?? standard, variable)
        return path.hasPrefix("/") || path.isEmpty
            ? path : FileManager.default.currentDirectoryPath + "/" + path.trimmingPrefix("./")
    }

    private func checkedPath(_ path: String, _ name: String) throws(ConfigurationError) -> String {
        guard !path.needsShell, !path.unicodeScalars.contains(where: \.isHidden) else {
            throw ConfigurationError(
                name,
                "경로가 올바르지 않습니다(\(path.excerpt.visiblyQuoted)). 보이지 않는 문자 없이 전체 경로를 쓰세요. "
                    + "맨 앞의 ~와 $는 다른 값으로 바뀌지 않습니다",
                "\(path.excerpt.visiblyQuoted) is not valid; expected a path without hidden signs, "
                    + "written out: nothing replaces ~ or $ at its beginning")
        }
        return path
    }

    /// Returns the base URL of a service, without a trailing slash.
    func url(_ variable: String, or standard: String) throws(ConfigurationError) -> String {
        // The value is not shown: people put passwords into URLs.
        func invalid(_ korean: String, _ english: String) -> ConfigurationError {
            ConfigurationError(
                variable,
                "\(korean). 쿼리와 비밀번호 없이 http://호스트/경로 또는 https://호스트/경로 형식으로 쓰세요",
                "\(english); expected http://host/path or https://host/path, without query or password")
        }
        let text = self[variable] ?? standard
        if let scalar = text.unicodeScalars.first(where: { !(0x21...0x7E).contains($0.value) }) {
            let sign = scalar.name(else: "a letter that is not ASCII")
            throw invalid("쓸 수 없는 문자가 있습니다(\(sign.text(in: .ko)))", "it contains \(sign)")
        }
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let host = url.host(), !host.isEmpty, url.hasValidPort, url.user() == nil, url.password() == nil,
            url.query() == nil, url.fragment() == nil
        else { throw invalid("올바른 URL이 아닙니다", "not such a URL") }
        return scheme + String(text.dropFirst(scheme.count).reversed().drop { $0 == "/" }.reversed())
    }

    /// Returns the name of a key, which is also the name of its file.
    func keyName(_ variable: String, or standard: String) throws(ConfigurationError) -> String {
        let expected = BilingualText("키 이름. 예: \(standard)", "a name, such as \(standard)")
        return try value(variable, or: standard, expected: expected) { name in
            name.hasPrefix(".") || name.contains("/") || name.unicodeScalars.contains(where: \.isHidden)
                ? nil : name
        }
    }

    // MARK: Secrets

    /// Returns the secret in the variable `NAME`, or in the file that `NAME_FILE` names; nil if neither is set.
    ///
    /// - Throws: an error that names the variable and the path, and contains no byte of the secret.
    func secret(_ variable: String) throws(ConfigurationError) -> Secret? {
        let (text, fileName) = (self[variable], variable + "_FILE")
        if text != nil { secretsInEnvironment.append(variable) }
        guard let path = self[fileName] else {
            return try text.map { text throws(ConfigurationError) in try checked(text, variable) }
        }
        guard text == nil else {
            throw ConfigurationError(
                variable, "\(fileName) 변수도 설정되어 있습니다. 둘 중 하나만 설정하세요",
                "\(fileName) is set, too; set only one of the two")
        }
        let file = try checkedPath(path, fileName)
        let content: String
        do throws(FileError) {
            content = try Secret(file: file, assignedTo: variable).value
        } catch {
            throw ConfigurationError(
                fileName, error.text(in: .ko), "\(error); expected a file that contains the secret")
        }
        return try checked(content, fileName)
    }

    /// Returns the address of the PostgreSQL database, as a URL, which may have a password.
    func databaseAddress(_ variable: String) throws(ConfigurationError) -> Secret? {
        guard let address = try secret(variable) else { return nil }
        guard ["postgresql://", "postgres://"].contains(where: address.value.hasPrefix) else {
            throw ConfigurationError(
                variable, "postgresql://사용자@호스트/데이터베이스 형식으로 쓰세요",
                "expected postgresql://user@host/database")
        }
        return address
    }

    /// Returns a secret that people type, and that others could guess if it were short.
    func password(_ variable: String) throws(ConfigurationError) -> Secret? {
        guard let secret = try secret(variable) else { return nil }
        guard secret.value.count >= Self.minimumPasswordLength else {
            throw ConfigurationError(
                self[variable] == nil ? variable + "_FILE" : variable,
                "비밀번호가 너무 짧습니다. \(Self.minimumPasswordLength)자 이상으로 정하세요",
                "the password is too short; expected \(Self.minimumPasswordLength) characters or more")
        }
        return secret
    }

    private static let minimumPasswordLength = 8

    private func checked(_ text: String, _ name: String) throws(ConfigurationError) -> Secret {
        // Secrets are sent in URLs and headers, where a space or a line break would end them or add something.
        if let scalar = text.unicodeScalars.first(where: { !(0x21...0x7e).contains($0.value) }) {
            let sign = scalar.name(else: "a character that is not ASCII")
            throw ConfigurationError(
                name, "쓸 수 없는 문자가 있습니다(\(sign.text(in: .ko))). 공백 없이 ASCII 문자로만 쓰세요",
                "the secret contains \(sign); expected printable ASCII without spaces")
        }
        return Secret(text)
    }
}

extension Unicode.Scalar {
    /// What stands where only visible ASCII may: a hidden sign by its name, and `other` for a letter.
    fileprivate func name(else other: String) -> BilingualText {
        isHidden || self == " " ? hiddenName : BilingualText("ASCII가 아닌 문자", other)
    }
}

extension String {
    /// At most 100 characters of the text, for an error message.
    fileprivate var excerpt: String { count > 100 ? prefix(100) + "…" : self }
}

import FoundationEssentials
import Glibc
import Text

/// The variables that begin with `MARQUEE_`, and how each kind of value is read.
struct Environment {
    /// Values by variable name, without empty ones.
    private let values: [String: String]

    /// Makes an environment of all variables of the process.
    ///
    /// - Throws: an error for an unknown name that begins with `MARQUEE_`; it suggests the nearest known one.
    init(_ variables: [String: String]) throws(ConfigurationError) {
        let own = variables.filter { name, value in
            name.hasPrefix(EnvironmentVariable.prefix) && !Self.isServiceLink(name, value)
        }
        for name in own.keys.sorted() where !EnvironmentVariable.names.contains(name) {
            let nearest = EnvironmentVariable.names.nearest(to: name) ?? EnvironmentVariable.prefix
            throw ConfigurationError(
                name, "없는 환경 변수입니다. 비슷한 변수: \(nearest)", "unknown variable; did you mean \(nearest)?")
        }
        var values: [String: String] = [:]
        for (name, value) in own {
            let text = value.unwrapped(assignedTo: name)
            if !text.isEmpty { values[name] = text }
        }
        self.values = values
    }

    /// Whether Kubernetes has set the variable, which describes a service such as `marquee` to its neighbours, in names that
    /// begin like ours.
    ///
    /// See https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables.
    private static func isServiceLink(_ name: String, _ value: String) -> Bool {
        let words = name.parts(between: "_").map(String.init)
        if words.suffix(2) == ["SERVICE", "HOST"] { return true }
        if words.indices.contains(where: { words[$0...].starts(with: ["SERVICE", "PORT"]) }) { return true }
        let isURL = ["tcp://", "udp://", "sctp://"].contains(where: value.hasPrefix)
        if words.last == "PORT", isURL { return true }
        guard let port = words.lastIndex(where: { UInt16($0) != nil }), port + 1 < words.count else { return false }
        return words[port - 1] == "PORT" && ["TCP", "UDP", "SCTP"].contains(words[port + 1])
    }

    /// The value of a variable; nil if it is not set or is empty.
    subscript(variable: EnvironmentVariable) -> String? { values[variable.rawValue] }

    /// Returns the value of a variable, or its default, as `read` understands it.
    ///
    /// - Parameters:
    ///   - expected: the form of the value, for the error.
    ///   - read: returns nil for text that has another form.
    private func value<Value>(
        _ variable: EnvironmentVariable, expected: BilingualText, read: (String) -> Value?
    ) throws(ConfigurationError) -> Value {
        let text = self[variable] ?? variable.defaultValue ?? ""
        guard let value = read(text) else {
            let quoted = text.excerpt.visiblyQuoted
            throw ConfigurationError(
                variable.rawValue, "값이 올바르지 않습니다(\(quoted)). 사용할 수 있는 값: \(expected.text(in: .ko))",
                "\(quoted) is not valid; expected \(expected)")
        }
        return value
    }

    // MARK: Numbers and words

    func limit(_ variable: EnvironmentVariable) throws(ConfigurationError) -> Int {
        try integer(variable, in: 1...1_000_000_000)
    }

    /// Returns a whole number.
    ///
    /// - Parameters:
    ///   - unit: its unit, for the error in Korean.
    ///   - noun: what it is, for the error in English.
    func integer(
        _ variable: EnvironmentVariable, in range: ClosedRange<Int>, of unit: String? = nil,
        _ noun: String = "a whole number"
    ) throws(ConfigurationError) -> Int {
        let (first, last) = (range.lowerBound, range.upperBound)
        let expected = BilingualText(
            "\(first)~\(last)의 정수" + (unit.map { "(\($0))" } ?? ""), "\(noun) from \(first) to \(last)")
        return try value(variable, expected: expected) { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// Returns whether a value is `on`, and not `off`.
    func flag(_ variable: EnvironmentVariable) throws(ConfigurationError) -> Bool {
        try value(variable, expected: BilingualText("on, off", "on or off")) { ["on": true, "off": false][$0] }
    }

    /// Returns what `read` makes of a variable; nil if it is not set.
    func optional<Value>(
        _ variable: EnvironmentVariable, _ read: (EnvironmentVariable) throws(ConfigurationError) -> Value
    ) throws(ConfigurationError) -> Value? {
        self[variable] == nil ? nil : try read(variable)
    }

    /// Returns whether a variable is set; `word` is the only value that it may have.
    func isGiven(_ variable: EnvironmentVariable, as word: String) throws(ConfigurationError) -> Bool {
        guard self[variable] != nil else { return false }
        let expected = BilingualText("\(word) 또는 빈 값", "\(word), or no value")
        return try value(variable, expected: expected) { $0 == word ? true : nil }
    }

    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ variable: EnvironmentVariable
    ) throws(ConfigurationError) -> Choice {
        let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        return try value(variable, expected: BilingualText(names, "one of \(names)"), read: Choice.init(rawValue:))
    }

    // MARK: Addresses and paths

    func zeroMQAddress(_ variable: EnvironmentVariable) throws(ConfigurationError) -> ZeroMQAddress {
        try value(
            variable,
            expected: BilingualText(
                "tcp://호스트:포트(호스트는 이름, 127.0.0.1 같은 IP 주소 또는 *, 포트는 숫자 또는 *), ipc://경로",
                "tcp://host:port with a name, an IP address such as 127.0.0.1 or * as host and a number or * as port, "
                    + "or ipc://path"), read: ZeroMQAddress.init)
    }

    func httpAddress(_ variable: EnvironmentVariable) throws(ConfigurationError) -> HTTPAddress {
        let example = variable.defaultValue ?? "127.0.0.1:0"
        return try value(
            variable, expected: BilingualText("호스트:포트. 예: \(example)", "host:port, such as \(example)"),
            read: HTTPAddress.init)
    }

    /// Reads IP addresses, separated by commas.
    func ipAddresses(_ variable: EnvironmentVariable) throws(ConfigurationError) -> [String] {
        let expected = BilingualText("포트 없는 IP 주소, 여러 개는 쉼표로 구분", "IP addresses without ports, separated by commas")
        return try list(variable, expected: expected) { text in
            var address = in6_addr()  // large enough for either family
            return inet_pton(AF_INET, text, &address) == 1 || inet_pton(AF_INET6, text, &address) == 1
        }
    }

    /// Reads host names, separated by commas.
    func hostNames(_ variable: EnvironmentVariable) throws(ConfigurationError) -> [String] {
        let expected = BilingualText("포트 없는 호스트 이름, 여러 개는 쉼표로 구분", "host names without ports, separated by commas")
        return try list(variable, expected: expected) { name in
            !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"*:/@[]".utf8.contains($0) }
        }
    }

    /// Reads the hosts of processes that share a database, separated by commas.
    func hosts(_ variable: EnvironmentVariable) throws(ConfigurationError) -> [String] {
        let expected = BilingualText(
            "포트 없는 호스트 이름이나 IP 주소(콜론이 있으면 대괄호로 감쌈), 여러 개는 쉼표로 구분",
            "hosts without ports, separated by commas, IPv6 addresses in brackets")
        return try list(variable, expected: expected) { ZeroMQAddress("tcp://\($0):1") != nil }
    }

    /// Reads words that `isValid` accepts, separated by commas.
    private func list(
        _ variable: EnvironmentVariable, expected: BilingualText, where isValid: (String) -> Bool
    ) throws(ConfigurationError) -> [String] {
        try value(variable, expected: expected) { text in
            let words = text.parts(between: ",").map { String($0).trimmed }
            return words.allSatisfy(isValid) ? words : nil
        }
    }

    /// Reads a path, and makes it absolute: a message with a relative one says nothing in another working directory.
    func absolutePath(_ variable: EnvironmentVariable) throws(ConfigurationError) -> String {
        let path = try checkedPath(self[variable] ?? variable.defaultValue ?? "", variable.rawValue)
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
    func url(_ variable: EnvironmentVariable) throws(ConfigurationError) -> String {
        // The value is not shown: people put passwords into URLs.
        func invalid(_ korean: String, _ english: String) -> ConfigurationError {
            ConfigurationError(
                variable.rawValue,
                "\(korean). 쿼리와 비밀번호 없이 http://호스트/경로 또는 https://호스트/경로 형식으로 쓰세요",
                "\(english); expected http://host/path or https://host/path, without query or password")
        }
        let text = self[variable] ?? variable.defaultValue ?? ""
        if let scalar = text.unicodeScalars.first(where: { !(0x21...0x7E).contains($0.value) }) {
            let sign = scalar.name(else: "a letter that is not ASCII")
            throw invalid("쓸 수 없는 문자가 있습니다(\(sign.text(in: .ko)))", "it contains \(sign)")
        }
        guard let url = URL(string: text) else { throw invalid("URL이 아닙니다", "not a URL") }
        guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme) else {
            throw invalid("http나 https로 시작하지 않습니다", "the scheme is neither http nor https")
        }
        guard let host = url.host(), !host.isEmpty else { throw invalid("호스트가 없습니다", "the host is missing") }
        guard url.hasValidPort else { throw invalid("포트가 올바르지 않습니다", "the port is not valid") }
        guard url.user() == nil, url.password() == nil else {
            throw invalid("사용자 이름이나 비밀번호가 들어 있습니다", "it contains a user name or a password")
        }
        guard url.query() == nil, url.fragment() == nil else {
            throw invalid("쿼리(?)나 프래그먼트(#)가 들어 있습니다", "it contains a query or a fragment")
        }
        return scheme + String(text.dropFirst(scheme.count).reversed().drop { $0 == "/" }.reversed())
    }

    // MARK: Groups of variables

    func upstream(
        url: EnvironmentVariable, key: EnvironmentVariable, dailyLimit: EnvironmentVariable
    ) throws(ConfigurationError) -> Configuration.Upstream {
        Configuration.Upstream(url: try self.url(url), key: try secret(key), dailyLimit: try limit(dailyLimit))
    }

    func openMarket() throws(ConfigurationError) -> Configuration.OpenMarket {
        Configuration.OpenMarket(
            url: try optional(.openMarketURL, url),
            generation: try choice(.openMarketGeneration),
            identifier: try secret(.openMarketIdentifier), secret: try secret(.openMarketSecret))
    }

    func curve() throws(ConfigurationError) -> Configuration.Curve {
        Configuration.Curve(
            isOn: try flag(.curve), folder: try absolutePath(.curveKeys),
            server: try keyName(.curveServer), client: try keyName(.curveClient))
    }

    /// Returns the name of a key, which is also the name of its file.
    private func keyName(_ variable: EnvironmentVariable) throws(ConfigurationError) -> String {
        let example = variable.defaultValue ?? "client"
        let expected = BilingualText("키 이름. 예: \(example)", "a name, such as \(example)")
        return try value(variable, expected: expected) { name in
            name.hasPrefix(".") || name.contains("/") || name.unicodeScalars.contains(where: \.isHidden)
                ? nil : name
        }
    }

    // MARK: Secrets

    /// The names of the variables that hold a secret itself.
    var secretsInEnvironment: [String] {
        EnvironmentVariable.allCases.filter { $0.fileVariableName != nil && self[$0] != nil }.map(\.rawValue)
    }

    /// Returns the secret in the variable `NAME`, or in the file that `NAME_FILE` names; nil if neither is set.
    ///
    /// - Throws: an error that names the variable and the path, and contains no byte of the secret.
    func secret(_ variable: EnvironmentVariable) throws(ConfigurationError) -> Secret? {
        guard let fileName = variable.fileVariableName, let path = values[fileName] else {
            return try self[variable].map { text throws(ConfigurationError) in try checked(text, variable.rawValue) }
        }
        guard self[variable] == nil else {
            throw ConfigurationError(
                variable.rawValue, "\(fileName) 변수도 설정되어 있습니다. 둘 중 하나만 설정하세요",
                "\(fileName) is set, too; set only one of the two")
        }
        let file = try checkedPath(path, fileName)
        let text: String
        do throws(SecretFileError) {
            text = try Secret(file: file, assignedTo: variable.rawValue).value
        } catch {
            throw ConfigurationError(
                fileName, error.text(in: .ko), "\(error); expected a file that contains the secret")
        }
        return try checked(text, fileName)
    }

    /// Returns the address of the PostgreSQL database, as a URL, which may have a password.
    func databaseAddress() throws(ConfigurationError) -> Secret? {
        guard let address = try secret(.database) else { return nil }
        guard ["postgresql://", "postgres://"].contains(where: address.value.hasPrefix) else {
            throw ConfigurationError(
                EnvironmentVariable.database.rawValue, "postgresql://사용자@호스트/데이터베이스 형식으로 쓰세요",
                "expected postgresql://user@host/database")
        }
        return address
    }

    /// Returns a secret that people type, and that others could guess if it were short.
    func password(_ variable: EnvironmentVariable) throws(ConfigurationError) -> Secret? {
        guard let secret = try secret(variable) else { return nil }
        guard secret.value.count >= Self.minimumPasswordLength else {
            throw ConfigurationError(
                self[variable] == nil ? variable.fileVariableName ?? variable.rawValue : variable.rawValue,
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

extension Environment {
    /// Reads a secret that is given as `NAME`, or as `NAME_FILE`, the path of a file that holds it.
    ///
    /// Errors name the variable and the path, never a byte of the secret.
    func secret(_ variable: EnvironmentVariable) throws(ConfigurationError) -> Secret? {
        guard let fileName = variable.fileName, let path = values[fileName] else {
            return try self[variable].map { text throws(ConfigurationError) in try checked(text, variable.rawValue) }
        }
        guard self[variable] == nil else {
            throw ConfigurationError(variable.rawValue, "also given as \(fileName); expected one of the two")
        }
        let text: String
        do throws(SecretFileError) {
            text = try Secret(file: path).value
        } catch {
            throw ConfigurationError(fileName, "\(error); expected a file that holds the secret")
        }
        return try checked(text, fileName)
    }

    /// Reads a secret that people type, and others may guess at.
    func password(_ variable: EnvironmentVariable) throws(ConfigurationError) -> Secret? {
        guard let secret = try secret(variable) else { return nil }
        guard secret.value.count >= Self.shortestPassword else {
            throw ConfigurationError(
                variable.rawValue, "the password is too short; expected \(Self.shortestPassword) characters or more")
        }
        return secret
    }

    private static let shortestPassword = 8

    /// A secret travels in URLs and headers, where a line end or a blank would end it, or begin something else.
    private func checked(_ text: String, _ name: String) throws(ConfigurationError) -> Secret {
        guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw ConfigurationError(
                name, "the secret holds a character that is not allowed; expected printable ASCII without blanks")
        }
        return Secret(text)
    }
}

import Glibc

extension Environment {
    /// Reads a secret that is given as `NAME`, or as `NAME_FILE`, the path of a file that holds it.
    ///
    /// Errors name the variable and the path, never a byte of the secret.
    func secret(_ variable: Variable) throws(ConfigurationError) -> Secret? {
        guard let fileName = variable.fileName, let path = values[fileName] else {
            return try self[variable].map { text throws(ConfigurationError) in try checked(text, variable.rawValue) }
        }
        guard self[variable] == nil else {
            throw ConfigurationError(variable.rawValue, "also given as \(fileName); expected one of the two")
        }
        let bytes: [UInt8]
        do {
            bytes = try contents(of: path)
        } catch {
            throw ConfigurationError(
                fileName, "cannot read \(path.quoted): \(error); expected a file that holds the secret")
        }
        var text = Substring(decoding: bytes, as: UTF8.self)
        // A line end of either kind is one Character.
        if text.last?.isNewline == true { text.removeLast() }
        guard !text.isEmpty else {
            throw ConfigurationError(fileName, "\(path.quoted) is empty; expected a file that holds the secret")
        }
        return try checked(String(text), fileName)
    }

    /// A secret travels in URLs and headers, where a line end or a blank would end it, or begin something else.
    private func checked(_ text: String, _ name: String) throws(ConfigurationError) -> Secret {
        guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw ConfigurationError(
                name, "the secret holds a character that is not allowed; expected printable ASCII without blanks")
        }
        return Secret(text)
    }
}

/// Why a file could not be read.
private struct FileError: Error, CustomStringConvertible {
    let description: String
}

/// Reads a small file (`open`, `read`).
private func contents(of path: String) throws(FileError) -> [UInt8] {
    let limit = 64 * 1024
    // Without O_NONBLOCK a pipe that nobody writes to would hang the start.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileError(description: String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    var count = 0
    while count < bytes.count {
        let (status, code) = bytes.withUnsafeMutableBytes { buffer in
            (read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count), errno)
        }
        if status < 0, code == EINTR { continue }
        guard status >= 0 else { throw FileError(description: String(cString: strerror(code))) }
        guard status > 0 else { return Array(bytes[..<count]) }
        count += status
    }
    throw FileError(description: "larger than \(limit) bytes")
}

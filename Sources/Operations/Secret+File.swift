import Glibc

extension Secret {
    /// Reads the secret that a file holds, without the line end that editors put after it.
    ///
    /// Errors name the path, never a byte of the secret.
    public init(file path: String) throws(SecretFileError) {
        let bytes: [UInt8]
        do throws(SecretFileError) {
            bytes = try contents(of: path)
        } catch {
            throw SecretFileError("cannot read \(path.quoted): \(error)")
        }
        var text = Substring(decoding: bytes, as: UTF8.self)
        // A line end of either kind is one Character.
        if text.last?.isNewline == true { text.removeLast() }
        guard !text.isEmpty else { throw SecretFileError("\(path.quoted) is empty") }
        self.init(String(text))
    }
}

/// Why a secret could not be read from a file.
public struct SecretFileError: Error, CustomStringConvertible {
    /// The path, and what is wrong with it.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Reads a small file (`open`, `read`).
private func contents(of path: String) throws(SecretFileError) -> [UInt8] {
    let limit = 64 * 1024
    // Without O_NONBLOCK a pipe that nobody writes to would hang the start.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw SecretFileError(String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    var count = 0
    while count < bytes.count {
        let (status, code) = bytes.withUnsafeMutableBytes { buffer in
            (read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count), errno)
        }
        if status < 0, code == EINTR { continue }
        guard status >= 0 else { throw SecretFileError(String(cString: strerror(code))) }
        guard status > 0 else { return Array(bytes[..<count]) }
        count += status
    }
    throw SecretFileError("larger than \(limit) bytes")
}

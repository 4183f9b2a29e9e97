extension Secret {
    /// Reads the secret that a file holds, without the line end that editors put after it.
    ///
    /// Errors name the path, never a byte of the secret.
    public init(file path: String) throws(SecretFileError) {
        let bytes: [UInt8]
        do throws(BoundedFile.Failure) {
            bytes = try BoundedFile.contents(of: path, limit: 64 * 1024)
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

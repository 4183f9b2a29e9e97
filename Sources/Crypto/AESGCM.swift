import CCrypto

/// Authenticated encryption with AES-256-GCM (NIST SP 800-38D): the holder of the key can read a message and notices
/// any change.
public struct AESGCM: Sendable {
    /// The size of a key in bytes.
    public static let keySize = 32
    private static let nonceSize = 12
    private static let tagSize = 16

    private let key: [UInt8]

    /// Makes a cipher with a key of ``keySize`` bytes.
    public init(key: [UInt8]) {
        precondition(key.count == Self.keySize, "AESGCM: the key has \(key.count) bytes")
        self.key = key
    }

    /// Returns a random key.
    public static func randomKey() -> [UInt8] {
        randomBytes(keySize)
    }

    /// Returns a random nonce, the encrypted message, and its tag; `context` is authenticated and not part of the result.
    public func seal(_ message: [UInt8], context: [UInt8]) -> [UInt8] {
        // Random, so that no counter has to be stored. One key may seal 2³² messages (SP 800-38D, 8.3).
        let nonce = Self.randomBytes(Self.nonceSize)
        var sealed = [UInt8](repeating: 0, count: message.count)
        var tag = [UInt8](repeating: 0, count: Self.tagSize)
        var length: Int32 = 0
        let cipher = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(cipher) }
        let isDone =
            EVP_EncryptInit_ex(cipher, EVP_aes_256_gcm(), nil, key, nonce) == 1
            && EVP_EncryptUpdate(cipher, nil, &length, context, Int32(context.count)) == 1
            && EVP_EncryptUpdate(cipher, &sealed, &length, message, Int32(message.count)) == 1
            && EVP_EncryptFinal_ex(cipher, nil, &length) == 1
            && EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_GET_TAG, Int32(Self.tagSize), &tag) == 1
        // It fails only where the library was built without the algorithm or has no memory left.
        precondition(isDone, "AESGCM: sealing failed")
        return nonce + sealed + tag
    }

    /// Decrypts a message; returns nil if it was sealed with another key or context, or was changed.
    public func open(_ sealed: [UInt8], context: [UInt8]) -> [UInt8]? {
        guard sealed.count >= Self.nonceSize + Self.tagSize else { return nil }
        let nonce = Array(sealed.prefix(Self.nonceSize))
        let body = Array(sealed.dropFirst(Self.nonceSize).dropLast(Self.tagSize))
        var tag = Array(sealed.suffix(Self.tagSize))
        var message = [UInt8](repeating: 0, count: body.count)
        var length: Int32 = 0
        let cipher = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(cipher) }
        let isGenuine =
            EVP_DecryptInit_ex(cipher, EVP_aes_256_gcm(), nil, key, nonce) == 1
            && EVP_DecryptUpdate(cipher, nil, &length, context, Int32(context.count)) == 1
            && EVP_DecryptUpdate(cipher, &message, &length, body, Int32(body.count)) == 1
            && EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_SET_TAG, Int32(Self.tagSize), &tag) == 1
            && EVP_DecryptFinal_ex(cipher, nil, &length) == 1
        return isGenuine ? message : nil
    }

    private static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()  // getrandom(2)
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

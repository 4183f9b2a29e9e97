import CCrypto

/// The code by which a receiver knows that a message comes unchanged from somebody who has the key (RFC 2104).
public enum HMACSHA256 {
    /// The 32 bytes of the code (`HMAC`); a key has at least one byte.
    public static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        precondition(!key.isEmpty, "a key of no bytes keeps nobody out")
        var code = [UInt8](repeating: 0, count: 32)
        let result = HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &code, nil)
        // It fails only where the library was built without the algorithm or has no memory left.
        precondition(result != nil, "HMAC failed")
        return code
    }
}

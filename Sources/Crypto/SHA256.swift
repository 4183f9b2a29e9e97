import CCrypto
public import FoundationEssentials
internal import Text

/// SHA-256, by which images are identified.
public enum SHA256 {
    /// Returns the hash of `bytes` as 64 lowercase hexadecimal digits (`EVP_Digest`).
    public static func hexDigest(of bytes: some ContiguousBytes) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        let status = bytes.withUnsafeBytes { EVP_Digest($0.baseAddress, $0.count, &digest, nil, EVP_sha256(), nil) }
        // It fails only where the library was built without the algorithm or has no memory left.
        precondition(status == 1, "EVP_Digest failed")
        return Hex.encode(digest)
    }
}

/// The message authentication code HMAC-SHA256 (RFC 2104): a receiver that has the key can verify who sent a message
/// and that nobody changed it.
public enum HMACSHA256 {
    /// Returns the 32 bytes of the code (`HMAC`).
    ///
    /// - Precondition: `key` has at least one byte.
    public static func authenticationCode(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        precondition(!key.isEmpty, "HMACSHA256: the key is empty")
        var code = [UInt8](repeating: 0, count: 32)
        let result = HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &code, nil)
        // It fails only where the library was built without the algorithm or has no memory left.
        precondition(result != nil, "HMAC failed")
        return code
    }
}

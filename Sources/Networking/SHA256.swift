import CCrypto
public import FoundationEssentials
internal import Text

/// The hash that pictures are known by.
///
/// See docs/decisions/0003-sha-256-from-libcrypto.md.
public enum SHA256 {
    /// The hash of `bytes` as 64 small hexadecimal digits (`EVP_Digest`).
    public static func hexDigest(of bytes: some ContiguousBytes) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        let status = bytes.withUnsafeBytes { EVP_Digest($0.baseAddress, $0.count, &digest, nil, EVP_sha256(), nil) }
        // It fails only where the library was built without the algorithm or has no memory left.
        precondition(status == 1, "EVP_Digest failed")
        return Hex.encode(digest)
    }
}

/// Replaces secrets in text with ``mark``.
///
/// A secret is found with its ASCII letters in either case, and with any of its bytes percent-encoded: as it was sent, as it
/// is written in a URL, and as a server echoes it. Other encodings, such as base64 or JSON escapes, are not decoded.
/// Overlapping occurrences are replaced by one mark, adjacent ones by one each.
///
/// Text without a secret is returned as it is, after one pass over its bytes.
public struct Redactor: Sendable {
    /// The replacement for a secret.
    public static let mark = "***"

    /// The secrets in lower case, the longest first.
    private let secrets: [[UInt8]]
    /// For each byte, whether an occurrence can begin with it.
    private let isBeginning: [Bool]

    /// Makes a redactor for some secrets; empty ones are ignored.
    public init(_ secrets: [String]) {
        self.secrets = secrets.map { $0.utf8.map(\.asciiLowercased) }.filter { !$0.isEmpty }
            .sorted { $0.count > $1.count }
        let beginnings = Set(self.secrets.map { $0[0] })
        isBeginning = (UInt8.min...UInt8.max).map { byte in
            byte == UInt8(ascii: "%") || beginnings.contains(byte.asciiLowercased)
        }
    }

    /// Returns the text with ``mark`` instead of each secret.
    public func redact(_ text: String) -> String {
        guard !secrets.isEmpty else { return text }
        var text = text
        guard let redacted = text.withUTF8({ redact($0) }) else { return text }
        return String(decoding: redacted, as: UTF8.self)
    }

    /// Returns the bytes with the mark instead of each secret; nil if there is no secret.
    private func redact(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var redacted: [UInt8] = []
        // The bytes before this index are in `redacted`.
        var kept = 0
        var index = 0
        while index < bytes.count {
            guard isBeginning[Int(bytes[index])], var end = end(of: secrets, in: bytes, at: index) else {
                index += 1
                continue
            }
            redacted += bytes[kept..<index]
            redacted += Self.mark.utf8
            // An occurrence that begins within this one is replaced with it.
            while index < end {
                index += 1
                if index < end, isBeginning[Int(bytes[index])], let other = self.end(of: secrets, in: bytes, at: index)
                {
                    end = max(end, other)
                }
            }
            kept = end
        }
        guard kept > 0 else { return nil }
        return redacted + bytes[kept...]
    }

    /// Returns the end of the longest occurrence that begins at `start`; nil if none does.
    private func end(of secrets: [[UInt8]], in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
        var end: Int?
        for secret in secrets {
            if let other = Self.end(of: secret[...], in: bytes, at: start) { end = max(end ?? other, other) }
        }
        return end
    }

    /// Returns the end of `secret` if it begins at `start`, with each of its bytes plain or as `%XX`.
    private static func end(
        of secret: ArraySlice<UInt8>, in bytes: UnsafeBufferPointer<UInt8>, at start: Int
    ) -> Int? {
        var index = start
        for (position, wanted) in zip(secret.indices, secret) {
            guard index < bytes.count else { return nil }
            let byte = bytes[index]
            let encoded =
                byte == UInt8(ascii: "%") && index + 2 < bytes.count
                ? Hex.decode(bytes[index + 1], bytes[index + 2])?.asciiLowercased : nil
            let isPlain = byte.asciiLowercased == wanted
            // For a percent sign, `%25` can be the plain sign before two digits, or the encoded sign.
            if isPlain, encoded == wanted, let end = end(of: secret[(position + 1)...], in: bytes, at: index + 3) {
                return end
            }
            if isPlain {
                index += 1
            } else if encoded == wanted {
                index += 3
            } else {
                return nil
            }
        }
        return index
    }
}

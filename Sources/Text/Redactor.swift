/// Replaces secrets in text with ``mark``, however somebody has written them.
///
/// A secret is found with its ASCII letters in either case, and with any of its bytes percent-encoded: as it went out, as
/// an address has it, and as a server echoes it. Nothing else is undone, such as base64 or the escapes of JSON.
/// Where occurrences overlap, all of their bytes go, for one mark; two that only touch make two marks.
///
/// A text without a secret costs one look at each of its bytes, and is returned as it is.
public struct Redactor: Sendable {
    /// What stands where a secret was.
    public static let mark = "***"

    /// In small letters, the longest first.
    private let secrets: [[UInt8]]
    /// Whether an occurrence can begin with the byte.
    private let isBeginning: [Bool]

    /// Makes a redactor for some secrets; empty ones are left out.
    public init(_ secrets: [String]) {
        self.secrets = secrets.map { $0.utf8.map(\.asciiLowercased) }.filter { !$0.isEmpty }
            .sorted { $0.count > $1.count }
        let beginnings = Set(self.secrets.map { $0[0] })
        isBeginning = (UInt8.min...UInt8.max).map { byte in
            byte == UInt8(ascii: "%") || beginnings.contains(byte.asciiLowercased)
        }
    }

    /// Returns the text with ``mark`` in the place of each secret.
    public func redact(_ text: String) -> String {
        guard !secrets.isEmpty else { return text }
        var text = text
        guard let redacted = text.withUTF8({ redact($0) }) else { return text }
        return String(decoding: redacted, as: UTF8.self)
    }

    /// Returns the bytes with the mark in the place of each secret; nil if there is none.
    private func redact(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var redacted: [UInt8] = []
        // What stands before it is in `redacted`.
        var kept = 0
        var index = 0
        while index < bytes.count {
            guard isBeginning[Int(bytes[index])], var end = end(of: secrets, in: bytes, at: index) else {
                index += 1
                continue
            }
            redacted += bytes[kept..<index]
            redacted += Self.mark.utf8
            // An occurrence that begins within this one goes with it.
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

    /// Returns where the longest occurrence ends that begins at `start`; nil if none does.
    private func end(of secrets: [[UInt8]], in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
        var end: Int?
        for secret in secrets {
            if let other = Self.end(of: secret[...], in: bytes, at: start) { end = max(end ?? other, other) }
        }
        return end
    }

    /// Returns where `secret` ends if it stands at `start`, each of its bytes as itself or as `%XX`.
    private static func end(
        of secret: ArraySlice<UInt8>, in bytes: UnsafeBufferPointer<UInt8>, at start: Int
    ) -> Int? {
        var index = start
        for (place, wanted) in zip(secret.indices, secret) {
            guard index < bytes.count else { return nil }
            let byte = bytes[index]
            let encoded =
                byte == UInt8(ascii: "%") && index + 2 < bytes.count
                ? Hex.decode(bytes[index + 1], bytes[index + 2])?.asciiLowercased : nil
            let isItself = byte.asciiLowercased == wanted
            // `%25` where a percent sign is wanted can be read in two ways.
            if isItself, encoded == wanted, let end = end(of: secret[(place + 1)...], in: bytes, at: index + 3) {
                return end
            }
            if isItself {
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

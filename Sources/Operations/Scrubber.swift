/// Takes secrets out of text, as they are and percent-encoded in whatever way.
struct Scrubber: Sendable {
    private let secrets: [[UInt8]]

    init(_ secrets: [Secret]) {
        // The longest first, so that a secret that begins with another leaves no rest.
        self.secrets = secrets.map { Array($0.value.utf8) }.filter { !$0.isEmpty }.sorted { $0.count > $1.count }
    }

    /// The text with `<secret>` where one stood.
    func scrub(_ text: String) -> String {
        guard !secrets.isEmpty else { return text }
        let bytes = Array(text.utf8)
        var kept: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if let end = secrets.lazy.compactMap({ end(of: $0, in: bytes, from: index) }).first {
                kept += "<secret>".utf8
                index = end
            } else {
                kept.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: kept, as: UTF8.self)
    }

    /// Where `secret` ends if it stands in `bytes` at `start`.
    private func end(of secret: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        // Most bytes begin none.
        guard bytes[start] == secret[0] || bytes[start] == UInt8(ascii: "%") else { return nil }
        if bytes[start...].starts(with: secret) { return start + secret.count }
        var index = start
        for byte in secret {
            guard index < bytes.count else { return nil }
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let digits = UInt8(String(decoding: bytes[index + 1...index + 2], as: UTF8.self), radix: 16),
                digits == byte
            {
                index += 3
            } else if bytes[index] == byte {
                index += 1
            } else {
                return nil
            }
        }
        return index
    }
}

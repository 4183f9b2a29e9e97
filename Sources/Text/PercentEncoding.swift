// Percent-encoding in URLs (RFC 3986, 2.1).

extension String {
    /// The UTF-8 of the text, percent-encoded except for unreserved characters (RFC 3986, 2.3): safe in any part of a URL.
    public var percentEncoded: String {
        if utf8.allSatisfy(\.isUnreserved) { return self }
        var encoded: [UInt8] = []
        for byte in utf8 {
            if byte.isUnreserved { encoded.append(byte) } else { encoded.append(percentEncoding: byte) }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}

extension Collection<UInt8> where Index == Int {
    /// The bytes of a URL, with those percent-encoded that cannot stand where they are (RFC 3986).
    ///
    /// What is encoded stays as it is: only a `%` that encodes nothing is encoded itself.
    public var percentEncodedURL: [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(count)
        var slashes = 0
        var hasFragment = false
        for index in indices {
            let byte = self[index]
            let isKept: Bool
            switch byte {
            case UInt8(ascii: "%"):
                isKept = index + 2 < endIndex && Hex.decode(self[index + 1], self[index + 2]) != nil
            case UInt8(ascii: "#"):
                isKept = !hasFragment
                hasFragment = true
            // Around an IPv6 address, before the path.
            case UInt8(ascii: "["), UInt8(ascii: "]"): isKept = slashes < 3
            default: isKept = byte.isAllowedInURL
            }
            if byte == UInt8(ascii: "/") { slashes += 1 }
            if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { slashes = 3 }
            if isKept { encoded.append(byte) } else { encoded.append(percentEncoding: byte) }
        }
        return encoded
    }
}

extension [UInt8] {
    fileprivate mutating func append(percentEncoding byte: UInt8) {
        self += [UInt8(ascii: "%")] + [byte >> 4, byte & 15].map { Hex.digit($0, isUppercase: true) }
    }
}

extension Sequence<UInt8> {
    /// Returns the bytes with each `%XX` decoded; nil if two hexadecimal digits do not follow a `%`.
    ///
    /// The result may be any bytes, also invalid UTF-8.
    ///
    /// - Parameter plusIsBlank: whether `+` stands for a space, as in the query of an HTML form.
    public func percentDecoded(plusIsBlank: Bool = false) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(underestimatedCount)
        var rest = makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.next(), let low = rest.next(), let byte = Hex.decode(high, low) else {
                    return nil
                }
                decoded.append(byte)
            case UInt8(ascii: "+") where plusIsBlank: decoded.append(UInt8(ascii: " "))
            default: decoded.append(byte)
            }
        }
        return decoded
    }
}

extension UInt8 {
    /// Whether it can stand in a URL as it is, in one part or another.
    fileprivate var isAllowedInURL: Bool {
        switch self {
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
            UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
            false
        default: (0x21..<0x7F).contains(self)
        }
    }

    /// Whether it is an unreserved character (RFC 3986, 2.3).
    fileprivate var isUnreserved: Bool { isASCIIAlphanumeric || "-._~".utf8.contains(self) }
}

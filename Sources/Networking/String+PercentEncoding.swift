extension String {
    /// The text with everything percent-encoded that is not unreserved (RFC 3986, 2.3).
    var percentEncoded: String {
        if utf8.allSatisfy(\.isUnreserved) { return self }
        return String(decoding: utf8.percentEncoded(keeping: \.isUnreserved), as: UTF8.self)
    }
}

extension Collection<UInt8> {
    /// The bytes, each percent-encoded that `isKept` does not keep.
    func percentEncoded(keeping isKept: (UInt8) -> Bool) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(count)
        for byte in self {
            if isKept(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), byte.hexDigits.0, byte.hexDigits.1]
            }
        }
        return encoded
    }
}

extension UInt8 {
    /// Whether it is one of the characters that mean nothing in an address but themselves.
    fileprivate var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// The byte as two capital hexadecimal digits.
    var hexDigits: (UInt8, UInt8) {
        let digits: StaticString = "0123456789ABCDEF"
        return (digits.utf8Start[Int(self >> 4)], digits.utf8Start[Int(self & 15)])
    }
}

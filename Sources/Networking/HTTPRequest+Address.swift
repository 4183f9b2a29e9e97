extension HTTPRequest {
    /// The address as it is sent, query included.
    var address: String {
        address(\.value.percentEncoded)
    }

    /// The address with each query item's value as `text` renders it.
    func address(_ text: (HTTPField) -> String) -> String {
        let location = url.prefix { $0 != "#" }
        var address = String(location).percentEncoded { $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`{|}".utf8.contains($0) }
        var separator = location.contains("?") ? "&" : "?"
        for item in query {
            address += "\(separator)\(item.name.percentEncoded)=\(text(item))"
            separator = "&"
        }
        return address
    }

    /// The scheme, host and port: what "at most so many at once per host" counts by.
    var origin: String {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.prefix(3).joined(separator: "/").prefix { $0 != "?" && $0 != "#" }.lowercased()
    }

    /// Why this can not be sent at all, or nil.
    var mistake: String? {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        if scheme != "http" && scheme != "https" { return "only http and https are spoken here" }
        if origin.contains("@") { return "a name or password in the address would be seen wherever the address is" }
        // Far above what any server takes, far below what libcurl takes.
        if address.utf8.count > 65_536 { return "the address is longer than 64 KiB" }
        for header in headers where !header.isSendable { return "the header \(header.name) can not be sent" }
        return nil
    }

    /// Whether a header is set by the caller; `name` in small letters.
    func hasHeader(_ name: String) -> Bool {
        headers.contains { $0.name.lowercased() == name }
    }

    /// The redirects that are really followed.
    var redirectsFollowed: Int {
        (query + headers).contains(where: \.isSecret) ? 0 : redirects
    }
}

extension HTTPField {
    /// Reads a header line, or nothing if it is none.
    init?(line: UnsafeRawBufferPointer) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let isBlank: (UInt8) -> Bool = { " \t\r\n".utf8.contains($0) }
        var value = line[(colon + 1)...].drop(while: isBlank)
        while let last = value.last, isBlank(last) { value.removeLast() }
        self.init(String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
    }

    /// Whether the field fits into one header line and adds no other (RFC 9110, 5.1 and 5.5).
    var isSendable: Bool {
        !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
            && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}

extension String {
    /// The text with everything percent-encoded that is not unreserved (RFC 3986, 2.3).
    var percentEncoded: String {
        percentEncoded { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-._~".utf8.contains(byte)
            }
        }
    }

    /// The text with every byte percent-encoded that `isKept` does not keep.
    func percentEncoded(keeping isKept: (UInt8) -> Bool) -> String {
        var encoded: [UInt8] = []
        for byte in utf8 {
            if isKept(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), byte.hexDigits.0, byte.hexDigits.1]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}

extension UInt8 {
    /// The byte as two capital hexadecimal digits.
    var hexDigits: (UInt8, UInt8) {
        let digits: StaticString = "0123456789ABCDEF"
        return (digits.utf8Start[Int(self >> 4)], digits.utf8Start[Int(self & 15)])
    }
}

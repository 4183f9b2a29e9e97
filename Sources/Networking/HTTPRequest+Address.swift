extension HTTPRequest {
    /// The address as it is sent, query included.
    var address: String {
        address(\.value.percentEncoded)
    }

    /// The address with each query item's value as `text` renders it.
    func address(_ text: (HTTPField) -> String) -> String {
        let location = url.utf8.prefix { $0 != UInt8(ascii: "#") }
        var address = String(Substring(location)).percentEncoded(keeping: Self.isAllowed)
        var separator = location.contains(UInt8(ascii: "?")) ? "&" : "?"
        for item in query {
            address += "\(separator)\(item.name.percentEncoded)=\(text(item))"
            separator = "&"
        }
        return address
    }

    /// The scheme, host and port: what "at most so many at once per host" counts by.
    var origin: String {
        let parts = url.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 3, omittingEmptySubsequences: false)
        let origin = parts.prefix(3).joined(separator: [UInt8(ascii: "/")])
        let end = origin.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        return String(decoding: end, as: UTF8.self).lowercased()
    }

    /// Why this can not be sent at all, or nil.
    var mistake: String? {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        if scheme != "http" && scheme != "https" { return "only http and https are spoken here" }
        if origin.contains("@") { return "a name or password in the address would be seen wherever the address is" }
        // Far above what any server takes, far below what libcurl takes.
        if longestAddress > Self.addressLimit, address.utf8.count > Self.addressLimit {
            return "the address is longer than 64 KiB"
        }
        for header in headers where !header.isSendable { return "the header \(header.name) can not be sent" }
        return nil
    }

    /// Whether a byte may stand in an address as it is (RFC 3986).
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
            UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
            false
        default: (0x21..<0x7F).contains(byte)
        }
    }

    private static let addressLimit = 65_536

    /// The bytes that the address has if each of its own becomes three.
    private var longestAddress: Int {
        query.reduce(3 * url.utf8.count) { $0 + 3 * ($1.name.utf8.count + $1.value.utf8.count) + 2 }
    }

    /// Whether a header is set by the caller; `name` in small letters.
    func hasHeader(_ name: String) -> Bool {
        headers.contains { $0.name.lowercased() == name }
    }

    /// The redirects that are really followed.
    var redirectsFollowed: Int {
        !secrets.isEmpty || (query + headers).contains(where: \.isSecret) ? 0 : redirects
    }
}

internal import Text

extension HTTPRequest {
    /// The address as it is sent, query included.
    var address: String {
        address(\.value.percentEncoded)
    }

    /// The address with each query item's value as `text` renders it.
    func address(_ text: (HTTPField) -> String) -> String {
        // As an array: to look through a text's own bytes takes several times as long.
        let location = Array(url.utf8).prefix { $0 != UInt8(ascii: "#") }
        var address = location.percentEncoded(keeping: Self.isAllowed)
        var separator = location.contains(UInt8(ascii: "?")) ? UInt8(ascii: "&") : UInt8(ascii: "?")
        for item in query {
            address.append(separator)
            address += item.name.percentEncoded.utf8
            address.append(UInt8(ascii: "="))
            address += text(item).utf8
            separator = UInt8(ascii: "&")
        }
        return String(decoding: address, as: UTF8.self)
    }

    /// The scheme, host and port: what "at most so many at once per host" counts by.
    var origin: String {
        var slashes = 0
        let end = url.utf8.firstIndex { byte in
            if byte == UInt8(ascii: "/") { slashes += 1 }
            return slashes == 3 || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
        }
        return url[..<(end ?? url.endIndex)].lowercased()
    }

    /// Why this can not be sent at all, or nil.
    var mistake: String? {
        let origin = origin
        guard origin.hasPrefix("http:") || origin.hasPrefix("https:") else {
            return "only http and https are spoken here"
        }
        if origin.utf8.contains(UInt8(ascii: "@")) {
            return "a name or password in the address would be seen wherever the address is"
        }
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

    /// Whether a header is set by the caller, whatever the case of its name.
    func hasHeader(_ name: String) -> Bool {
        headers.contains { $0.isNamed(name) }
    }

    /// The redirects that are really followed.
    var redirectsFollowed: Int {
        let isOpen = secrets.isEmpty && !query.contains(where: \.isSecret) && !headers.contains(where: \.isSecret)
        return isOpen ? redirects : 0
    }
}

/// Where an HTTP server listens: `host:port`; port 0 is any free one.
public struct HTTPAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address as it was given; the server listens there.
    public let description: String

    /// Makes an address, or nothing if the text has another form.
    public init?(_ text: String) {
        guard let (host, port) = hostAndPort(text), !host.isEmpty, UInt16(port) != nil else { return nil }
        description = text
    }

    /// The URL of the server, without a slash at its end; where it listens everywhere, that is this machine.
    public var url: String {
        guard let (host, port) = hostAndPort(description) else { return "http://\(description)" }
        return "http://\(reachableHost(host)):\(port)"
    }
}

/// Splits at the last colon; an IPv6 host stands in brackets. Nothing if a part has a character that belongs in neither.
func hostAndPort(_ text: some StringProtocol) -> (host: Substring, port: Substring)? {
    let text = Substring(text)
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let host = text[..<colon]
    let port = text[text.index(after: colon)...]
    let isBracketed = host.first == "[" && host.last == "]" && host.utf8.count > 2
    let isAllowed = host.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        case UInt8(ascii: "*"): host.utf8.count == 1
        case UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "%"): isBracketed
        default: false
        }
    }
    // Int and its kin read a plus sign; addresses have none.
    guard isAllowed, !port.hasPrefix("+") else { return nil }
    return (host, port)
}

/// The host to connect to where the owner is bound to `host`: "everywhere" is no place to connect to.
func reachableHost(_ host: Substring) -> Substring {
    switch host {
    case "*", "0.0.0.0": "127.0.0.1"
    case "[::]": "[::1]"
    default: host
    }
}

extension String {
    /// What follows `prefix`, or nothing if the text does not begin with it.
    func dropping(prefix: String) -> Substring? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }
}

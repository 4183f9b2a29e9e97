public import FoundationEssentials
import Glibc
import Text

/// An address that a ZeroMQ socket binds or connects to: `tcp://host:port` or `ipc://path`.
///
/// The host is a name, an IP address or `*`; the port is a number or `*`. Only the form is checked.
public struct ZeroMQAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address, which the owner binds. `localhost`, which libzmq cannot bind, is 127.0.0.1.
    public let description: String

    /// Makes an address; nil if the text has another form.
    public init?(_ text: String) {
        if let path = text.dropping(prefix: "ipc://") {
            // sockaddr_un holds 108 bytes including the final zero.
            guard (1...107).contains(path.utf8.count), !path.unicodeScalars.contains(where: \.isUnprintable) else {
                return nil
            }
            description = text
        } else {
            guard let tcp = text.dropping(prefix: "tcp://"), let (host, port) = hostAndPort(tcp) else { return nil }
            guard port == "*" || UInt16(port) != nil else { return nil }
            description = "tcp://\(host == "localhost" ? loopback : host):\(port)"
        }
    }

    /// The address that clients on this machine connect to: `*` and other wildcard hosts become the loopback address.
    public var reachable: String {
        guard let tcp = description.dropping(prefix: "tcp://"), let (host, port) = hostAndPort(tcp) else {
            return description
        }
        return "tcp://\(reachableHost(host)):\(port)"
    }

    /// The addresses that clients connect to: with its port at each of the hosts, or, if there are none, its own. An `ipc`
    /// address has no host.
    func reachable(on hosts: [String]) -> [String] {
        guard !hosts.isEmpty, let tcp = description.dropping(prefix: "tcp://"), let (_, port) = hostAndPort(tcp) else {
            return [reachable]
        }
        return hosts.compactMap { ZeroMQAddress("tcp://\($0):\(port)")?.reachable }
    }

    /// Whether only this machine can connect to the address once it is bound.
    public var isLocal: Bool {
        guard let tcp = description.dropping(prefix: "tcp://"), let (host, _) = hostAndPort(tcp) else { return true }
        return host == "lo" || isLoopback(host)
    }

    /// Whether a socket can be bound to the host: to all addresses, to an IP address, or to an interface of this machine.
    var isBindable: Bool {
        guard let tcp = description.dropping(prefix: "tcp://"), let (host, _) = hostAndPort(tcp) else { return true }
        return host == "*" || isIPAddress(host) || if_nametoindex(String(host)) != 0
    }

    /// The addresses that the host's name stands for (getaddrinfo(3)), empty if the name is not known; nil if the host is
    /// no name. Blocks until a name server has answered.
    public func resolved() -> [ZeroMQAddress]? {
        guard let tcp = description.dropping(prefix: "tcp://"), let (host, port) = hostAndPort(tcp), host != "*",
            !isIPAddress(host)
        else { return nil }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(String(host), nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        return sequence(first: list, next: { $0?.pointee.ai_next }).compactMap { entry in
            guard let entry = entry?.pointee else { return nil }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard
                getnameinfo(
                    entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            else { return nil }
            let number = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            return ZeroMQAddress("tcp://\(entry.ai_family == AF_INET6 ? "[\(number)]" : number):\(port)")
        }
    }
}

/// An address that an HTTP server listens at: `host:port`. Port 0 stands for any free port.
public struct HTTPAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address, at which the server listens. `localhost` is 127.0.0.1, and `*` is 0.0.0.0.
    public let description: String

    /// Makes an address; nil if the text has another form.
    public init?(_ text: String) {
        guard let (host, port) = hostAndPort(text), UInt16(port) != nil, !host.utf8.contains(UInt8(ascii: "%")) else {
            return nil
        }
        description = "\(host == "localhost" ? loopback : host == "*" ? "0.0.0.0" : host):\(port)"
    }

    /// The URL of the server for clients on this machine, without a trailing slash.
    public var url: String {
        guard let (host, port) = hostAndPort(description) else { return "http://\(description)" }
        return "http://\(reachableHost(host)):\(port)"
    }

    /// Whether only this machine can connect to the address.
    public var isLocal: Bool {
        hostAndPort(description).map { isLoopback($0.host) } ?? false
    }

    /// Whether a server can listen at the host.
    var isBindable: Bool { hostAndPort(description).map { isIPAddress($0.host) } ?? false }
}

extension URL {
    /// Whether the URL has no port, or one that exists.
    public var hasValidPort: Bool { port.map { (1...65_535).contains($0) } ?? true }
}

/// Splits an address at its last colon. An IPv6 host is in brackets.
///
/// - Returns: nil if a part contains a character that is not allowed in it, or if the host is a number that is no address.
private func hostAndPort(_ text: some StringProtocol) -> (host: Substring, port: Substring)? {
    let text = Substring(text)
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let host = text[..<colon]
    let port = text[text.index(after: colon)...]
    let isBracketed = host.first == "[" && host.last == "]" && host.utf8.count > 2
    let isAllowed = host.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        case UInt8(ascii: "*"): host.utf8.count == 1
        case UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "%"): isBracketed
        default: byte.isASCIIAlphanumeric
        }
    }
    // UInt16.init accepts a plus sign.
    guard isAllowed, !host.isEmpty, !port.hasPrefix("+") else { return nil }
    // `127.1` and `010.0.0.1` mean one address to one program and another to the next.
    let isNumber = isBracketed || host.split(separator: ".").last?.utf8.allSatisfy { $0.decimalDigit != nil } ?? false
    return !isNumber || isIPAddress(host) ? (host, port) : nil
}

private let loopback: Substring = "127.0.0.1"

/// Whether a host is an IP address; an IPv6 one is in brackets and may have a zone.
private func isIPAddress(_ host: Substring) -> Bool {
    var address = in6_addr()  // large enough for either family
    guard host.first == "[" else { return inet_pton(AF_INET, String(host), &address) == 1 }
    return inet_pton(AF_INET6, String(host.dropFirst().prefix { $0 != "%" && $0 != "]" }), &address) == 1
}

/// Whether a host is a loopback address.
private func isLoopback(_ host: Substring) -> Bool {
    if host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
}

/// Returns the host that a client on this machine connects to; a wildcard cannot be connected to.
private func reachableHost(_ host: Substring) -> Substring {
    switch host {
    case "*", "0.0.0.0", "lo": loopback
    case "[::]": "[::1]"
    default: host
    }
}

extension String {
    /// Returns the text after `prefix`; nil if it has another prefix.
    fileprivate func dropping(prefix: String) -> Substring? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }
}

public import FoundationEssentials
import Glibc
import Text

/// An address that a ZeroMQ socket binds or connects to: `tcp://host:port` or `ipc://path`.
///
/// The host is a name, an IP address or `*`; the port is a number or `*`. Only the form is checked.
public struct ZeroMQAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address, which the owner binds. `localhost`, which libzmq cannot bind, is 127.0.0.1.
    public let description: String
    /// The host of a TCP address and its port; nil for `ipc`.
    private let tcp: HostAndPort?

    /// Makes an address; nil if the text has another form.
    public init?(_ text: String) {
        if text.hasPrefix("ipc://") {
            // sockaddr_un holds 108 bytes including the final zero.
            guard (7...113).contains(text.utf8.count), !text.unicodeScalars.contains(where: \.isUnprintable) else {
                return nil
            }
            description = text
            tcp = nil
        } else {
            guard text.hasPrefix("tcp://"), let tcp = HostAndPort(text.dropFirst("tcp://".count)),
                tcp.port == "*" || UInt16(tcp.port) != nil
            else { return nil }
            self.tcp = tcp
            description = "tcp://\(tcp)"
        }
    }

    /// The address that clients on this machine connect to: `*` and other wildcard hosts become the loopback address.
    public var reachable: String { tcp.map { "tcp://\($0.reachableHost):\($0.port)" } ?? description }

    /// The addresses that clients connect to: with its port at each of the hosts, or, if there are none, its own. An `ipc`
    /// address has no host.
    func reachable(on hosts: [String]) -> [String] {
        guard !hosts.isEmpty, let tcp else { return [reachable] }
        return hosts.compactMap { ZeroMQAddress("tcp://\($0):\(tcp.port)")?.reachable }
    }

    /// Whether only this machine can connect to the address once it is bound.
    public var isLocal: Bool { tcp.map { $0.host == "lo" || $0.isLoopback } ?? true }

    /// Whether a socket can be bound to the host: to all addresses, to an IP address, or to an interface of this machine.
    var isBindable: Bool { tcp.map { $0.host == "*" || $0.isIPAddress || if_nametoindex($0.host) != 0 } ?? true }

    /// The addresses that the host's name stands for (getaddrinfo(3)), empty if the name is not known; nil if the host is
    /// no name. Blocks until a name server has answered.
    public func resolved() -> [ZeroMQAddress]? {
        guard let tcp, tcp.host != "*", !tcp.isIPAddress else { return nil }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(tcp.host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        return sequence(first: list, next: { $0?.pointee.ai_next }).compactMap { entry in
            guard let entry = entry?.pointee else { return nil }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard
                getnameinfo(
                    entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            else { return nil }
            let number = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            return ZeroMQAddress("tcp://\(entry.ai_family == AF_INET6 ? "[\(number)]" : number):\(tcp.port)")
        }
    }
}

/// An address that an HTTP server listens at: `host:port`. Port 0 stands for any free port.
public struct HTTPAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address, at which the server listens. `localhost` is 127.0.0.1, and `*` is 0.0.0.0.
    public var description: String { tcp.description }
    private let tcp: HostAndPort

    /// Makes an address; nil if the text has another form.
    public init?(_ text: String) {
        guard var tcp = HostAndPort(text[...]), UInt16(tcp.port) != nil, !tcp.host.contains("%") else { return nil }
        if tcp.host == "*" { tcp.host = "0.0.0.0" }
        self.tcp = tcp
    }

    /// The URL of the server for clients on this machine, without a trailing slash.
    public var url: String { "http://\(tcp.reachableHost):\(tcp.port)" }

    /// Whether only this machine can connect to the address.
    public var isLocal: Bool { tcp.isLoopback }

    var isBindable: Bool { tcp.isIPAddress }
}

extension URL {
    /// Whether the URL has no port, or one that exists.
    public var hasValidPort: Bool { port.map { (1...65_535).contains($0) } ?? true }
}

/// A host, of which `localhost` is 127.0.0.1 and an IPv6 address is in brackets, and a port.
private struct HostAndPort: Hashable, Sendable, CustomStringConvertible {
    var host: String
    let port: String

    var description: String { "\(host):\(port)" }

    /// Splits an address at its last colon; nil if a part contains a character that is not allowed in it, or if the host is
    /// a number that is no address.
    init?(_ text: Substring) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let name = String(text[..<colon])
        port = String(text[text.index(after: colon)...])
        host = name == "localhost" ? "127.0.0.1" : name
        let isBracketed = name.first == "[" && name.last == "]" && name.utf8.count > 2
        let isAllowed = name.utf8.allSatisfy { byte in
            byte.isASCIIAlphanumeric || ".-_".utf8.contains(byte) || isBracketed && ":[]%".utf8.contains(byte)
        }
        // UInt16.init accepts a plus sign.
        guard name == "*" || isAllowed, !name.isEmpty, !port.hasPrefix("+") else { return nil }
        // `127.1` and `010.0.0.1` mean one address to one program and another to the next.
        let isNumber = name.split(separator: ".").last?.utf8.allSatisfy { $0.decimalDigit != nil } ?? false
        if isBracketed || isNumber, !isIPAddress { return nil }
    }

    /// Whether the host is an IP address; an IPv6 one may have a zone.
    var isIPAddress: Bool {
        guard host.first == "[" else { return IPAddress(host)?.bytes.count == 4 }
        return IPAddress(String(host.dropFirst().prefix { $0 != "%" && $0 != "]" }))?.bytes.count == 16
    }

    var isLoopback: Bool { host == "[::1]" || isIPAddress && host.hasPrefix("127.") }

    /// The host that a client on this machine connects to; a wildcard cannot be connected to.
    var reachableHost: String {
        switch host {
        case "*", "0.0.0.0", "lo": "127.0.0.1"
        case "[::]": "[::1]"
        default: host
        }
    }
}

import Glibc
import Text

/// The IP address of a client. An IPv4 address that an IPv6 socket shows (`::ffff:a.b.c.d`) is the IPv4 address.
public struct ClientAddress: Hashable, Sendable, CustomStringConvertible {
    /// 4 or 16 bytes.
    private let bytes: [UInt8]

    private init(bytes: [UInt8]) {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        self.bytes = bytes.starts(with: mapped) ? Array(bytes.dropFirst(mapped.count)) : bytes
    }

    /// Reads an IPv4 address, or an IPv6 address with or without brackets; nil for any other text.
    public init?(_ text: String) {
        let isBracketed = text.utf8.first == UInt8(ascii: "[") && text.utf8.last == UInt8(ascii: "]")
        let text = isBracketed ? String(text.dropFirst().dropLast()) : text
        var four = in_addr()
        var six = in6_addr()
        if !isBracketed, inet_pton(AF_INET, text, &four) == 1 {
            self.init(bytes: withUnsafeBytes(of: four, Array.init))
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            self.init(bytes: withUnsafeBytes(of: six, Array.init))
        } else {
            return nil
        }
    }

    /// Reads what proxies write into `X-Forwarded-For`: an address, with or without a port and quotes around both.
    public init?(forwarded text: some StringProtocol) {
        let text = String(text).unwrapped()
        if let address = Self(text) {
            self = address
            return
        }
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")), UInt16(text[colon...].dropFirst()) != nil,
            let address = Self(String(text[..<colon]))
        else { return nil }
        self = address
    }

    init?(peer: UnsafePointer<sockaddr>) {
        switch Int32(peer.pointee.sa_family) {
        case AF_INET:
            self = peer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                Self(bytes: withUnsafeBytes(of: $0.pointee.sin_addr, Array.init))
            }
        case AF_INET6:
            self = peer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                Self(bytes: withUnsafeBytes(of: $0.pointee.sin6_addr, Array.init))
            }
        default: return nil
        }
    }

    /// Returns the client of a request that came by proxies: the last address in `X-Forwarded-For` that is no proxy's.
    ///
    /// Each proxy appends the address from which it got the request, so whatever stands before the first address that is no
    /// proxy's is the client's own invention. What is no address ends the search, too.
    ///
    /// - Parameter forwarded: The values of the header's fields in order.
    static func client(of forwarded: [String], from peer: ClientAddress, proxies: Set<ClientAddress>) -> ClientAddress {
        var client = peer
        for part in forwarded.flatMap({ $0.parts(between: ",") }).reversed() {
            guard let address = ClientAddress(forwarded: part) else { return client }
            client = address
            guard proxies.contains(address) else { return client }
        }
        return client
    }

    /// The network that counts as one client: an IPv4 address, or the first 64 bits of an IPv6 address, which one household
    /// or server gets as a whole.
    public var network: ClientAddress {
        bytes.count == 4 ? self : ClientAddress(bytes: bytes.prefix(8) + [UInt8](repeating: 0, count: 8))
    }

    /// Whether the address is of this machine.
    public var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// The address as text.
    public var description: String {
        if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(AF_INET6, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

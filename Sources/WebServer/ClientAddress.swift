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
        guard let address = IPAddress(isBracketed ? String(text.dropFirst().dropLast()) : text),
            !isBracketed || address.bytes.count == 16
        else { return nil }
        self.init(bytes: address.bytes)
    }

    /// Reads what proxies write into `X-Forwarded-For`: an address, with or without a port and quotes around both.
    init?(forwarded text: some StringProtocol) {
        let text = String(text).unwrapped()
        let host = text.utf8.lastIndex(of: UInt8(ascii: ":")).flatMap { colon in
            UInt16(text[colon...].dropFirst()).map { _ in String(text[..<colon]) }
        }
        guard let address = Self(text) ?? host.flatMap({ Self($0) }) else { return nil }
        self = address
    }

    init?(peer: UnsafePointer<sockaddr>) {
        // MHD's copy is as long as the address's family needs.
        let address = IPAddress(UnsafeRawBufferPointer(start: peer, count: MemoryLayout<sockaddr_in6>.size))
        guard let address else { return nil }
        self.init(bytes: address.bytes)
    }

    /// Returns the client of a request that came by proxies: the last address in `X-Forwarded-For` that is no proxy's.
    ///
    /// Each proxy appends the address from which it got the request, so whatever stands before the first address that is no
    /// proxy's is the client's own invention. What is no address ends the search, too.
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
    public var description: String { IPAddress(bytes: bytes).description }
}

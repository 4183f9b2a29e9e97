import Glibc

/// A numeric IP address.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// Four bytes for IPv4, sixteen for IPv6.
    public let bytes: [UInt8]

    /// Makes an address of four or sixteen bytes.
    public init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads an address without brackets, port and zone; nil for any other text.
    public init?(_ text: String) {
        var address = in6_addr()  // large enough for either family
        let isV4 = inet_pton(AF_INET, text, &address) == 1
        guard isV4 || inet_pton(AF_INET6, text, &address) == 1 else { return nil }
        bytes = withUnsafeBytes(of: address) { Array($0.prefix(isV4 ? 4 : 16)) }
    }

    /// Reads a socket address, a `sockaddr`; nil for another family.
    public init?(_ address: UnsafeRawBufferPointer) {
        guard address.count >= MemoryLayout<sa_family_t>.size else { return nil }
        switch Int32(address.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET where address.count >= MemoryLayout<sockaddr_in>.size:
            bytes = withUnsafeBytes(of: address.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) }
        case AF_INET6 where address.count >= MemoryLayout<sockaddr_in6>.size:
            bytes = withUnsafeBytes(of: address.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) }
        default: return nil
        }
    }

    /// The address as text, without brackets.
    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

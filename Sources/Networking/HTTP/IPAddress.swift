import Glibc

/// A numeric IP address: four bytes for IPv4, sixteen for IPv6.
struct IPAddress: Hashable, Sendable {
    let bytes: [UInt8]

    init?(_ text: String) {
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            bytes = withUnsafeBytes(of: v4) { Array($0) }
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            bytes = withUnsafeBytes(of: v6) { Array($0) }
        } else {
            return nil
        }
    }

    /// Reads the socket address to which a socket is about to connect.
    init?(_ address: UnsafeRawBufferPointer) {
        guard address.count >= MemoryLayout<sa_family_t>.size else { return nil }
        switch Int32(address.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET where address.count >= MemoryLayout<sockaddr_in>.size:
            bytes = withUnsafeBytes(of: address.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) }
        case AF_INET6 where address.count >= MemoryLayout<sockaddr_in6>.size:
            bytes = withUnsafeBytes(of: address.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) }
        default: return nil
        }
    }

    /// Follows IANA's special-purpose address registries. IPv6 addresses count as public only in the allocated global
    /// unicast space, without the blocks that embed an IPv4 address. Mapped addresses (`::ffff:0:0/96`) lie outside of
    /// it.
    var isPublic: Bool {
        if bytes.count == 4 { return !Self.reservedV4.contains(where: isIn) }
        return isIn(Self.globalV6) && !Self.reservedV6.contains(where: isIn)
    }

    /// The addresses that begin with these bytes, as far as the first `length` bits.
    private typealias Block = (bytes: [UInt8], length: Int)

    private func isIn(_ block: Block) -> Bool {
        (0..<block.length).allSatisfy { bit in
            let mask = UInt8(0x80) >> (bit % 8)
            let first = bit / 8 < block.bytes.count ? block.bytes[bit / 8] : 0
            return first & mask == bytes[bit / 8] & mask
        }
    }

    private static let reservedV4: [Block] = [
        ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16),
        ([172, 16], 12), ([192, 0, 0], 24), ([192, 0, 2], 24), ([192, 88, 99], 24),
        ([192, 168], 16), ([198, 18], 15), ([198, 51, 100], 24), ([203, 0, 113], 24),
        ([224], 4), ([240], 4),
    ]
    private static let globalV6: Block = ([0x20], 3)
    private static let reservedV6: [Block] = [
        ([0x20, 0x01, 0x00], 23),  // protocol assignments, Teredo among them
        ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x3F, 0xFF, 0x00], 20),  // documentation
        ([0x20, 0x02], 16),  // 6to4
    ]
}

extension IPAddress: CustomStringConvertible {
    var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "?" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

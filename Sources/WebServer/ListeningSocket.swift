import Glibc

/// A TCP socket that listens on one address. This type does not close it: `MHD_start_daemon` takes ownership.
struct ListeningSocket {
    /// What the system holds of a response that a client does not read, in bytes. Linux counts the double for its own
    /// structures. Without it the system takes up to 4 MB for each connection.
    static let sendBuffer = 128 << 10
    /// After this time the system drops what a client does not read, even if the connection is closed already.
    private static let sendTimeout = Duration.seconds(30)

    let descriptor: Int32
    /// The bound address, with the port that the system chose if port 0 was requested.
    let address: String

    /// Listens on `a.b.c.d:port` or `[v6]:port`; `[::]` accepts IPv4 clients too.
    init(address: String) throws(HTTPServerError) {
        guard let (host, port) = Self.parse(address) else { throw .invalidAddress(address) }
        let family = host.contains(":") ? AF_INET6 : AF_INET
        descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .cannotListen(address: address, errno: errno) }

        let status: Int32
        if family == AF_INET6 {
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(family)
            name.sin6_port = port.bigEndian
            guard inet_pton(family, host, &name.sin6_addr) == 1 else {
                close(descriptor)
                throw .invalidAddress(address)
            }
            Self.set(IPV6_V6ONLY, of: Int32(IPPROTO_IPV6), to: 0, on: descriptor)
            status = Self.listen(on: descriptor, at: &name)
            self.address = "[\(host)]:\(UInt16(bigEndian: name.sin6_port))"
        } else {
            var name = sockaddr_in()
            name.sin_family = sa_family_t(family)
            name.sin_port = port.bigEndian
            guard inet_pton(family, host, &name.sin_addr) == 1 else {
                close(descriptor)
                throw .invalidAddress(address)
            }
            status = Self.listen(on: descriptor, at: &name)
            self.address = "\(host):\(UInt16(bigEndian: name.sin_port))"
        }
        guard status == 0 else {
            close(descriptor)
            throw .cannotListen(address: address, errno: status)
        }
    }

    /// Returns the host without brackets, and the port.
    private static func parse(_ address: String) -> (host: String, port: UInt16)? {
        guard let colon = address.lastIndex(of: ":"), let port = UInt16(address[address.index(after: colon)...]) else {
            return nil
        }
        var host = address[..<colon]
        if host.contains(":") {
            guard host.hasPrefix("["), host.hasSuffix("]") else { return nil }
            host = host.dropFirst().dropLast()
        }
        return (String(host), port)
    }

    /// Binds and listens, and writes the bound address to `name`. Returns 0 or the errno.
    private static func listen<Name>(on descriptor: Int32, at name: inout Name) -> Int32 {
        // Without it a restart would have to wait for TIME_WAIT of old connections; it does not share an address that
        // is in use.
        set(SO_REUSEADDR, of: SOL_SOCKET, to: 1, on: descriptor)
        // Accepted connections inherit both.
        setSendBuffer(sendBuffer, on: descriptor)
        set(
            Int32(TCP_USER_TIMEOUT), of: Int32(IPPROTO_TCP), to: Int32(sendTimeout.components.seconds * 1_000),
            on: descriptor)
        return withUnsafeMutableBytes(of: &name) { bytes in
            guard let name = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return EINVAL }
            var length = socklen_t(bytes.count)
            guard bind(descriptor, name, length) == 0 else { return errno }
            guard Glibc.listen(descriptor, SOMAXCONN) == 0 else { return errno }
            return getsockname(descriptor, name, &length) == 0 ? 0 : errno
        }
    }

    /// Sets how many bytes the system holds of what a client does not read.
    static func setSendBuffer(_ size: Int, on descriptor: Int32) {
        set(SO_SNDBUF, of: SOL_SOCKET, to: Int32(size), on: descriptor)
    }

    private static func set(_ option: Int32, of level: Int32, to value: Int32, on descriptor: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}

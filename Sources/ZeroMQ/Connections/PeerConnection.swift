internal import Glibc

/// A client's connection to a socket that is bound: where it comes from, and what has come over it that is no message yet.
///
/// libzmq keeps the frames of a message until it has the last one, and tells nobody. What it has taken from the kernel since
/// the last message is all there is to go by; for `ipc` that is not known, and none.
final class PeerConnection {
    /// Heartbeats come over it, too, and are no part of a message: so many bytes a second, more than ours have with
    /// encryption, do not count.
    private static let heartbeats = 64.0

    /// The other side's numeric address; nil for `ipc`, or if it was gone at once.
    let address: String?
    /// By which routing id a router answers it.
    private(set) var route: [UInt8] = []
    /// How many bytes of a message without an end had come the last time but one: what had an end by then has been heard.
    private(set) var unfinished = 0
    /// Whether it is over, although libzmq has not said so yet.
    private(set) var isOver = false
    private let descriptor: Int32
    /// Which socket the descriptor is; nil if it is not known to be the client's.
    private let cookie: UInt64?
    private var wasHeard = false
    private var came = 0
    private var taken = 0
    private var start = 0

    /// Begins with a connection that libzmq has accepted at an endpoint of ours, such as `tcp://127.0.0.1:5551`.
    init(_ descriptor: Int32, at endpoint: String?) {
        self.descriptor = descriptor
        // By the time that libzmq's word is read, the client may be gone and the number another socket's.
        cookie = isConnection(descriptor, at: endpoint) ? socketCookie(of: descriptor) : nil
        address = peerAddress(of: descriptor)
    }

    /// How many bytes have come; nil if it is no TCP.
    var received: Int? { receivedBytes(by: descriptor) }

    /// A message has come over it.
    func hear(as route: [UInt8]?) {
        wasHeard = true
        if let route { self.route = route }
    }

    /// Looks how much has come since the last message, so long after the last look.
    func look(after pause: Duration) {
        // Another socket has taken over the descriptor.
        guard cookie == socketCookie(of: descriptor) else {
            isOver = true
            unfinished = 0
            return
        }
        let before = (came: came, taken: taken)
        came = received ?? 0
        // What comes between the two questions is not taken yet.
        if came > taken { taken = max(taken, came - queuedBytes(of: descriptor)) }
        start = wasHeard ? taken : min(taken, start + Int(pause / .seconds(1) * Self.heartbeats))
        unfinished = wasHeard ? 0 : max(0, before.taken - start)
        wasHeard = false
    }

    /// Ends it: libzmq sees an end and closes it itself; there is no other way to ask it to.
    ///
    /// Does nothing if the descriptor is another socket's by now. If the process has no descriptor left, the connection
    /// goes on, and can be cut later.
    ///
    /// - Returns: Whether the connection was shut down.
    @discardableResult
    func cut() -> Bool {
        // The descriptor is libzmq's, whose thread may close it at any time, and its number may be given to another socket.
        // A duplicate stays the same socket: it is looked at and shut down with nothing in between that could exchange it.
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        if duplicate < 0 {
            isOver = errno == EBADF
            return false
        }
        defer { close(duplicate) }
        isOver = true
        guard let cookie, cookie == socketCookie(of: duplicate) else { return false }
        // And the kernel keeps nothing for a peer that does not read.
        var atOnce = linger(l_onoff: 1, l_linger: 0)
        setsockopt(duplicate, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
        return shutdown(duplicate, Int32(SHUT_RDWR)) == 0
    }
}

/// The number that the kernel gives a socket and no other ever after (`SO_COOKIE` of socket(7), since Linux 4.12); nil if
/// the descriptor is no open socket.
private func socketCookie(of descriptor: Int32) -> UInt64? {
    var cookie: UInt64 = 0
    var size = socklen_t(MemoryLayout<UInt64>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_COOKIE, &cookie, &size) == 0 ? cookie : nil
}

/// Whether a descriptor is a socket of ours at an endpoint, by the port or the path of getsockname(2).
private func isConnection(_ descriptor: Int32, at endpoint: String?) -> Bool {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { pointer in
        let status = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        guard status == 0, let endpoint else { return false }
        switch Int32(pointer.pointee.ss_family) {
        case AF_INET:
            return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                endpoint.hasSuffix(":\(UInt16(bigEndian: $0.pointee.sin_port))")
            }
        case AF_INET6:
            return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                endpoint.hasSuffix(":\(UInt16(bigEndian: $0.pointee.sin6_port))")
            }
        case AF_UNIX:
            let path = UnsafeRawBufferPointer(start: pointer, count: Int(size))
                .dropFirst(MemoryLayout<sa_family_t>.size)
            // libzmq writes @ for the zero byte that an abstract name begins with.
            let name = path.first == 0 ? [UInt8(ascii: "@")] + path.dropFirst() : Array(path.prefix { $0 != 0 })
            return endpoint == "ipc://" + String(decoding: name, as: UTF8.self)
        default: return false
        }
    }
}

/// The other side's numeric address, by getpeername(2) and getnameinfo(3).
private func peerAddress(of descriptor: Int32) -> String? {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let status = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int32 in
            guard getpeername(descriptor, address, &size) == 0, address.pointee.sa_family != AF_UNIX else { return -1 }
            return getnameinfo(address, size, &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST)
        }
    }
    guard status == 0 else { return nil }
    return String(decoding: host.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// How many bytes have come over a connection, by getsockopt(2); nil if it is no TCP.
private func receivedBytes(by descriptor: Int32) -> Int? {
    var information = LinuxTCPInfo()
    let wanted = socklen_t(MemoryLayout<LinuxTCPInfo>.size)
    var size = wanted
    let status = getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &information, &size)
    return status == 0 && size == wanted ? Int(information.bytesReceived) : nil
}

/// The beginning of `struct tcp_info` in <linux/tcp.h>, as of Linux 4.1.
///
/// libc has a struct of the same name that ends earlier, so that Swift cannot import the kernel's.
private struct LinuxTCPInfo {
    var beginning = tcp_info()
    var pacingRate: UInt64 = 0
    var maximumPacingRate: UInt64 = 0
    var bytesAcknowledged: UInt64 = 0
    var bytesReceived: UInt64 = 0
}

/// How many of them the kernel still has, by ioctl(2).
private func queuedBytes(of descriptor: Int32) -> Int {
    var count: Int32 = 0
    return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
}

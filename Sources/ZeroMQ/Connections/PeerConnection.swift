internal import Glibc

/// A client's connection to a bound socket: its address, and the bytes of the message that it has not completed.
///
/// libzmq keeps the frames of a message until it has the last one, and does not report them. This type therefore measures
/// how many bytes libzmq has read from the kernel since the last complete message. An `ipc` connection cannot be measured
/// and counts as having none.
///
/// libzmq's thread owns the descriptor and may close it at any time; its number may then belong to another socket. The
/// cookie of the socket shows whether it does.
final class PeerConnection {
    // Heartbeats arrive over the connection, too, and are not part of a message. This many bytes a second, more than
    // encrypted heartbeats at the default interval have, are not counted.
    private static let heartbeatBytesPerSecond = 64.0
    /// The bytes between two scans from which on a client is sending a message.
    private static let handshakeBytes = 1_024

    let id: ConnectionID
    /// The client's numeric address; nil for `ipc`, or if the client was gone at once. It is a later client's if that one
    /// had the descriptor when the event was read, so only a connection that has not ended counts against it.
    let address: String?
    /// The name of the client's key, known from its first message; nil without encryption.
    var name: String?
    var hasGreeted = false
    /// How long a client that has not greeted has sent no more than a handshake and heartbeats.
    private(set) var silence = Duration.zero
    var failure: HandshakeFailure.Reason?
    /// The bytes of the incomplete message two scans ago; whatever has been completed by then has been received.
    private(set) var incompleteBytes = 0
    /// Whether the connection is over, although libzmq may not have reported that yet.
    private(set) var isClosed = false
    /// The cookie of the client's socket; nil if the descriptor was another socket's from the start.
    private let cookie: UInt64?
    /// A publisher's client's subscriptions, as libzmq keeps them: each prefix once.
    private(set) var subscriptions: Set<[UInt8]> = []
    private(set) var foreignSubscriptionCount = 0
    /// The bytes of the subscriptions' prefixes, and 3 for each, which is what its frame adds on the wire.
    var subscribedBytes = 0
    /// Whether a message was received since the last scan.
    var hasReceivedMessage = false
    /// The time of the last scan; before the first one, when the connection became known.
    private var lastScan = ContinuousClock.now
    private var receivedBytes = 0
    private var readBytes = 0
    /// The number of bytes that libzmq had read when the incomplete message began, plus the heartbeats since.
    private var messageStart = 0

    /// Makes a connection that libzmq has accepted at one of our endpoints, such as `tcp://127.0.0.1:5551`.
    init(_ descriptor: Int32, number: UInt64 = 0, at endpoint: String?) {
        id = ConnectionID(descriptor: descriptor, number: number)
        // By the time the event is read, the client may be gone and the descriptor another socket's. If that one is at the
        // same endpoint, the cookie is taken from it; see `ConnectionMonitor.makeRoomForNewConnections()`.
        cookie = isConnection(descriptor, at: endpoint) ? socketCookie(of: descriptor) : nil
        address = peerAddress(of: descriptor)
    }

    private var descriptor: Int32 { id.descriptor }

    /// The bytes received so far; nil if the connection is not TCP.
    var received: Int? { tcpReceivedBytes(by: descriptor) }

    func changeSubscription(_ prefix: [UInt8], isAdded: Bool, isForeign: Bool) {
        let isChanged = isAdded ? subscriptions.insert(prefix).inserted : subscriptions.remove(prefix) != nil
        guard isChanged else { return }
        subscribedBytes += isAdded ? prefix.count + 3 : -prefix.count - 3
        if isForeign { foreignSubscriptionCount += isAdded ? 1 : -1 }
    }

    /// The bytes that have arrived since the last delivered message, at the last measurement, without heartbeats.
    var undeliveredBytes: Int { max(0, receivedBytes - messageStart) }

    func measure() {
        receivedBytes = received ?? 0
    }

    func scan(at now: ContinuousClock.Instant) {
        let interval = now - lastScan
        lastScan = now
        guard cookie == socketCookie(of: descriptor) else {
            isClosed = true
            incompleteBytes = 0
            return
        }
        let earlierReadBytes = readBytes
        measure()
        // Bytes that arrive between these two system calls count as not read yet.
        if receivedBytes > readBytes { readBytes = max(readBytes, receivedBytes - queuedBytes(of: descriptor)) }
        if hasReceivedMessage {
            messageStart = readBytes
            incompleteBytes = 0
        } else {
            let heartbeatBytes = Int(interval / .seconds(1) * Self.heartbeatBytesPerSecond)
            messageStart = min(readBytes, messageStart + heartbeatBytes)
            incompleteBytes = max(0, earlierReadBytes - messageStart)
        }
        let isSilent = !hasGreeted && readBytes - earlierReadBytes < Self.handshakeBytes
        silence = isSilent ? silence + interval : .zero
        hasReceivedMessage = false
    }

    /// Shuts the connection down with shutdown(2); libzmq then reads an end and closes it.
    ///
    /// libzmq has no call for that. Does nothing if the descriptor is another socket's by now. If the process has no
    /// descriptor left, the connection stays open and can be shut down later.
    @discardableResult
    func shutDown(discardingReceived discardsReceived: Bool = false) -> Bool {
        // libzmq's thread may close the descriptor at any time. A duplicate stays the same socket, so the cookie that is
        // compared and the socket that is shut down are one.
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        if duplicate < 0 {
            isClosed = errno == EBADF
            return false
        }
        defer { close(duplicate) }
        isClosed = true
        guard let cookie, cookie == socketCookie(of: duplicate) else { return false }
        // Without lingering, so that the kernel keeps nothing for a client that does not read.
        var noLinger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(duplicate, SOL_SOCKET, SO_LINGER, &noLinger, socklen_t(MemoryLayout<linger>.size))
        if discardsReceived {
            // Ends a TCP connection and empties its queues; other sockets refuse it.
            var unspecified = sockaddr(sa_family: sa_family_t(AF_UNSPEC), sa_data: sockaddr().sa_data)
            if connect(duplicate, &unspecified, socklen_t(MemoryLayout<sockaddr>.size)) == 0 { return true }
        }
        return shutdown(duplicate, Int32(SHUT_RDWR)) == 0
    }
}

/// The number of a connection to a bound socket, which the socket gives to no other connection.
public struct ConnectionID: Sendable, Hashable {
    let descriptor: Int32
    let number: UInt64

    static let none = ConnectionID(descriptor: -1, number: 0)
}

// MARK: - System calls

/// Returns the number that the kernel gives to this socket alone (`SO_COOKIE` of socket(7), since Linux 4.12).
private func socketCookie(of descriptor: Int32) -> UInt64? {
    var cookie: UInt64 = 0
    var size = socklen_t(MemoryLayout<UInt64>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_COOKIE, &cookie, &size) == 0 ? cookie : nil
}

/// Returns whether a descriptor is a socket at an endpoint of this program, by the port or path of getsockname(2).
private func isConnection(_ descriptor: Int32, at endpoint: String?) -> Bool {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { pointer in
        let status = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        guard status == 0, let endpoint else { return false }
        switch Int32(pointer.pointee.ss_family) {
        case AF_INET, AF_INET6:  // both have the port in one place
            return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                endpoint.hasSuffix(":\(UInt16(bigEndian: $0.pointee.sin_port))")
            }
        case AF_UNIX:
            let path = UnsafeRawBufferPointer(start: pointer, count: Int(size))
                .dropFirst(MemoryLayout<sa_family_t>.size)
            // An abstract name begins with a zero byte, which libzmq writes as @.
            let name = path.first == 0 ? [UInt8(ascii: "@")] + path.dropFirst() : Array(path.prefix { $0 != 0 })
            return endpoint == "ipc://" + String(decoding: name, as: UTF8.self)
        default: return false
        }
    }
}

/// Returns the peer's numeric address, from getpeername(2) and getnameinfo(3).
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

/// Returns the bytes received over a connection, from getsockopt(2); nil if it is not TCP.
private func tcpReceivedBytes(by descriptor: Int32) -> Int? {
    var information = LinuxTCPInfo()
    let expectedSize = socklen_t(MemoryLayout<LinuxTCPInfo>.size)
    var size = expectedSize
    let status = getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &information, &size)
    return status == 0 && size == expectedSize ? Int(information.bytesReceived) : nil
}

/// The beginning of `struct tcp_info` in <linux/tcp.h>, as of Linux 4.1.
private struct LinuxTCPInfo {
    var beginning = tcp_info()
    var pacingRate: UInt64 = 0
    var maximumPacingRate: UInt64 = 0
    var bytesAcknowledged: UInt64 = 0
    var bytesReceived: UInt64 = 0
}

/// Returns the received bytes that have not been read from the kernel, from ioctl(2).
private func queuedBytes(of descriptor: Int32) -> Int {
    var count: Int32 = 0
    return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
}

internal import Glibc

/// A client's connection to a socket that is bound: where it comes from, and what has come over it that is no message yet.
///
/// libzmq keeps the frames of a message until it has the last one, and tells nobody. What it has taken from the kernel since
/// the last message is all there is to go by; for `ipc` that is not known, and none.
final class Connection {
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
    private var wasHeard = false
    private var came = 0
    private var taken = 0
    private var start = 0

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
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
        let before = (came: came, taken: taken)
        came = received ?? 0
        // It is another's by now, which has taken over the descriptor.
        if came < before.came { isOver = true }
        // What comes between the two questions is not taken yet.
        if came > taken { taken = max(taken, came - queuedBytes(of: descriptor)) }
        start = wasHeard ? taken : min(taken, start + Int(pause / .seconds(1) * Self.heartbeats))
        unfinished = wasHeard ? 0 : max(0, before.taken - start)
        wasHeard = false
    }

    /// Ends it: libzmq sees an end and closes it itself; there is no other way to ask it to.
    func cut() {
        // And the kernel keeps nothing for a peer that does not read.
        var atOnce = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
        shutdown(descriptor, Int32(SHUT_RDWR))
        isOver = true
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
    // Since Linux 4.1; libc's own struct ends before it.
    let place = 128
    return withUnsafeTemporaryAllocation(byteCount: place + 8, alignment: 8) { information in
        var size = socklen_t(information.count)
        let status = getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, information.baseAddress, &size)
        guard status == 0, size == information.count else { return nil }
        return Int(information.load(fromByteOffset: place, as: UInt64.self))
    }
}

/// How many of them the kernel still has, by ioctl(2).
private func queuedBytes(of descriptor: Int32) -> Int {
    var count: Int32 = 0
    return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
}

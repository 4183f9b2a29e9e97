import Concurrency
import Glibc
import TestSupport
import Testing

@testable import ZeroMQ

/// libzmq's thread closes the descriptors by which connections are identified: a socket that reuses a descriptor must not be
/// shut down.
@Suite("Connections", .patience)
struct PeerConnectionTests {
    /// Both ends of a TCP connection.
    private final class ConnectedPair {
        let server: Int32
        let client: Int32
        /// The endpoint at which the server's end was accepted, as libzmq writes it.
        let endpoint: String

        init() throws {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(listener) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            let connected = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(listener, address, size) == 0 && listen(listener, 1) == 0
                        && getsockname(listener, address, &size) == 0 && connect(client, address, size) == 0
                }
            }
            try #require(connected)
            self.client = client
            server = accept(listener, nil, nil)
            endpoint = "tcp://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
            try #require(server >= 0)
        }

        deinit {
            close(server)
            close(client)
        }

        /// Gives the server's descriptor to another connection, as if this one had been closed and the other opened since.
        func reuseDescriptor(for other: ConnectedPair) throws {
            try #require(dup2(other.server, server) == server)
        }

        /// Sends bytes to the server's end, which reads them.
        func fill(_ count: Int) throws {
            var bytes = [UInt8](repeating: 7, count: count)
            try #require(send(client, bytes, count, 0) == count)
            try #require(recv(server, &bytes, count, Int32(MSG_WAITALL)) == count)
        }

        /// Returns whether a byte can be sent each way.
        func isOpen() -> Bool {
            var byte: UInt8 = 1
            return [(client, server), (server, client)].allSatisfy { from, to in
                send(from, &byte, 1, Int32(MSG_NOSIGNAL)) == 1 && recv(to, &byte, 1, 0) == 1
            }
        }

        /// Returns whether the client's end reads an end.
        func hasEnded() -> Bool {
            var byte: UInt8 = 0
            var polled = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
            return poll(&polled, 1, Int32(patience / .milliseconds(1))) == 1 && recv(client, &byte, 1, 0) <= 0
        }
    }

    private func makeMonitor(
        _ drops: Locked<Int>, of kind: SocketKind = .router, _ change: (inout SocketOptions) -> Void
    ) -> ConnectionMonitor {
        var options = SocketOptions()
        change(&options)
        return ConnectionMonitor(
            SharedSocketState(1, kind, options) {}, isServer: true, isLocal: false, isEncrypted: true,
            observer: ConnectionGuard.Observer(onFailure: { _ in }, onDrop: { _ in drops.withLock { $0 += 1 } }))
    }

    /// What libzmq reports of a connection.
    private enum Event: UInt16 {
        case accepted = 0x20
        case disconnected = 0x200
    }

    /// Makes a monitor read events that arrived together, each of a descriptor and an endpoint.
    private func read(_ events: [(Event, Int32, String)], by monitor: ConnectionMonitor) {
        for (event, descriptor, endpoint) in events {
            var frame = [UInt8](repeating: 0, count: 6)
            frame.withUnsafeMutableBytes {
                $0.storeBytes(of: event.rawValue, as: UInt16.self)
                $0.storeBytes(of: descriptor, toByteOffset: 2, as: Int32.self)
            }
            monitor.handle(Message([frame, Array(endpoint.utf8)]))
        }
        monitor.makeRoomForNewConnections()
    }

    @Test("a connection that is shut down ends for its client")
    func shutDown() throws {
        let pair = try ConnectedPair()
        let connection = PeerConnection(pair.server, at: pair.endpoint)
        #expect(connection.address == "127.0.0.1" && pair.isOpen() && !connection.isClosed)
        #expect(connection.shutDown() && connection.isClosed && pair.hasEnded())
    }

    @Test("a socket that reuses the descriptor of a closed connection is not shut down")
    func reused() throws {
        let (gone, other) = (try ConnectedPair(), try ConnectedPair())
        let connection = PeerConnection(gone.server, at: gone.endpoint)
        try gone.reuseDescriptor(for: other)
        #expect(!connection.shutDown() && connection.isClosed && other.isOpen())
    }

    @Test("a file that reuses the descriptor is left alone")
    func noSocket() throws {
        let pair = try ConnectedPair()
        let connection = PeerConnection(pair.server, at: pair.endpoint)
        let null = open("/dev/null", O_RDONLY)
        defer { close(null) }
        try #require(dup2(null, pair.server) == pair.server)
        connection.scan(at: .now)
        #expect(connection.isClosed && connection.incompleteBytes == 0)
        #expect(!connection.shutDown() && fcntl(pair.server, F_GETFD) >= 0)
    }

    @Test("a socket that reuses the descriptor before the event is read is not shut down", arguments: [true, false])
    func reusedBefore(_ isReused: Bool) throws {
        let (gone, other) = (try ConnectedPair(), try ConnectedPair())
        if isReused { try gone.reuseDescriptor(for: other) }
        let monitor = makeMonitor(Locked(0)) { $0.maximumConnections = 0 }
        read([(.accepted, gone.server, gone.endpoint)], by: monitor)
        if isReused { #expect(other.isOpen()) } else { #expect(gone.hasEnded()) }
    }

    @Test("a client that has the descriptor of one that left before its event was read keeps its place")
    func reusedByClient() throws {
        let (gone, other, third) = (try ConnectedPair(), try ConnectedPair(), try ConnectedPair())
        let monitor = makeMonitor(Locked(0)) { $0.maximumPendingConnections = 1 }
        try gone.reuseDescriptor(for: other)
        let first: (Event, Int32, String) = (.accepted, gone.server, other.endpoint)
        // With the third client there is one too many, and the oldest has to go: the one that has left.
        read(
            [first, (.accepted, third.server, third.endpoint), (.disconnected, gone.server, other.endpoint)],
            by: monitor)
        #expect(other.isOpen() && third.isOpen())
        read([first], by: monitor)
        #expect(other.isOpen() && third.hasEnded())
    }

    @Test("a client is charged with no subscriptions of one that had its descriptor, but with all bytes of its own")
    func reusedByPublishersClient() throws {
        let drops = Locked(0)
        let monitor = makeMonitor(drops, of: .publisher) {
            $0.maximumSubscriptions = 1
            $0.subscriptionBytes = 1_000
        }
        let (gone, other) = (try ConnectedPair(), try ConnectedPair())
        func subscribe(_ prefixes: String...) {
            for prefix in prefixes { monitor.recordSubscription(Message([[1] + prefix.utf8]), over: gone.server) }
        }
        read([(.accepted, gone.server, gone.endpoint)], by: monitor)
        let begin = ContinuousClock.now
        read([(.disconnected, gone.server, gone.endpoint)], by: monitor)
        try gone.reuseDescriptor(for: other)
        read([(.accepted, gone.server, other.endpoint)], by: monitor)
        subscribe("a", "b")
        // What had begun before the end was known may have missed the last of the client that left.
        monitor.recordEmptySocket(readSince: begin)
        subscribe("c", "d")
        #expect(other.isOpen() && drops.withLock { $0 } == 0)
        try other.fill(2_000)
        subscribe("e")
        #expect(other.hasEnded() && drops.withLock { $0 } == 1)
    }

    @Test("once the socket was read until it was empty, subscriptions over a reused descriptor are the new client's")
    func reusedByPublishersClientLater() throws {
        let monitor = makeMonitor(Locked(0), of: .publisher) { $0.maximumSubscriptions = 1 }
        let (gone, other) = (try ConnectedPair(), try ConnectedPair())
        read([(.accepted, gone.server, gone.endpoint)], by: monitor)
        read([(.disconnected, gone.server, gone.endpoint)], by: monitor)
        try gone.reuseDescriptor(for: other)
        read([(.accepted, gone.server, other.endpoint)], by: monitor)
        monitor.recordEmptySocket(readSince: .now + .seconds(1))
        for prefix in ["a", "b"] { monitor.recordSubscription(Message([[1] + prefix.utf8]), over: gone.server) }
        #expect(other.hasEnded())
    }

    @Test("a client is not silent for the time before it connected, however long nobody was connected")
    func silence() throws {
        let drops = Locked(0)
        let monitor = makeMonitor(drops) { $0.firstMessage = .seconds(3_600) }
        let pair = try ConnectedPair()
        monitor.scan(at: .now + .seconds(-7_200))
        read([(.accepted, pair.server, pair.endpoint)], by: monitor)
        monitor.scan(at: .now)
        #expect(drops.withLock { $0 } == 0 && pair.isOpen())
        monitor.scan(at: .now + .seconds(3_601))
        #expect(drops.withLock { $0 } == 1 && pair.hasEnded())
    }

    @Test(
        "a client whose message does not end is disconnected, but not a socket that reuses its descriptor",
        arguments: [true, false])
    func reusedBetweenScans(_ isReused: Bool) throws {
        let drops = Locked(0)
        let monitor = makeMonitor(drops) { $0.maximumMessageBytes = 500 }
        let (gone, other) = (try ConnectedPair(), try ConnectedPair())
        read([(.accepted, gone.server, gone.endpoint)], by: monitor)
        try gone.fill(1_000)
        monitor.scan(at: monitor.lastScan)
        // More than over the other connection, so that only the cookie can distinguish them.
        try other.fill(2_000)
        if isReused { try gone.reuseDescriptor(for: other) }
        monitor.scan(at: monitor.lastScan)
        monitor.scan(at: monitor.lastScan)
        #expect(drops.withLock { $0 } == (isReused ? 0 : 1))
        if isReused { #expect(other.isOpen()) } else { #expect(gone.hasEnded()) }
    }

    @Test("when incomplete messages together exceed the limit, the client with the longest is disconnected")
    func together() throws {
        let drops = Locked(0)
        let monitor = makeMonitor(drops) { $0.incompleteBytes = 5_000 }
        let (short, long) = (try ConnectedPair(), try ConnectedPair())
        read([(.accepted, short.server, short.endpoint), (.accepted, long.server, long.endpoint)], by: monitor)
        try short.fill(2_000)
        try long.fill(4_000)
        for _ in 1...2 { monitor.scan(at: monitor.lastScan) }
        #expect(drops.withLock { $0 } == 1 && short.isOpen() && long.hasEnded())
    }

    @Test("when undelivered subscriptions together exceed the limit, the client with most is disconnected")
    func undelivered() throws {
        let drops = Locked(0)
        let monitor = makeMonitor(drops, of: .publisher) { $0.undeliveredBytes = 5_000 }
        let (few, many) = (try ConnectedPair(), try ConnectedPair())
        read([(.accepted, few.server, few.endpoint), (.accepted, many.server, many.endpoint)], by: monitor)
        try few.fill(2_500)
        try many.fill(4_000)
        monitor.dropUndelivered()
        #expect(drops.withLock { $0 } == 1 && few.isOpen() && many.hasEnded())
    }

    @Test("an ipc connection is identified by its path", arguments: ["@", ""])
    func ipc(_ beginning: String) throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let path = beginning + folder.file("socket")
        let (listener, client) = (
            socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0), socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        )
        defer { close(listener) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = path.utf8.map { $0 == UInt8(ascii: "@") ? 0 : $0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let connected = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 1) == 0 && connect(client, address, size) == 0
            }
        }
        try #require(connected)
        let server = accept(listener, nil, nil)
        defer {
            close(server)
            close(client)
        }
        var byte: UInt8 = 1
        PeerConnection(server, at: "ipc:///tmp/another").shutDown()
        #expect(send(client, &byte, 1, Int32(MSG_NOSIGNAL)) == 1)
        PeerConnection(server, at: "ipc://\(path)").shutDown()
        #expect(recv(client, &byte, 1, 0) <= 0)
    }
}

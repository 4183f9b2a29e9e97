import Concurrency
import Glibc
import Testing

@testable import ZeroMQ

/// Connections are known by the numbers of descriptors that libzmq's thread closes: another socket that has got the number
/// must not be touched.
@Suite("Connections", .timeLimit(.minutes(5)))
struct PeerConnectionTests {
    /// A TCP connection, both ends of which are here.
    private final class Pair {
        let server: Int32
        let client: Int32
        /// Where the server's end was accepted, as libzmq names it.
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

        /// Gives the number of the server's end to that of another connection, as if this one had been closed and the other
        /// been opened since.
        func giveNumber(to other: Pair) throws {
            try #require(dup2(other.server, server) == server)
        }

        /// Sends bytes to the server's end, which takes them.
        func fill(_ count: Int) throws {
            var bytes = [UInt8](repeating: 7, count: count)
            try #require(send(client, bytes, count, 0) == count)
            try #require(recv(server, &bytes, count, Int32(MSG_WAITALL)) == count)
        }

        /// Whether a byte still goes each way.
        func isOpen() -> Bool {
            var byte: UInt8 = 1
            return [(client, server), (server, client)].allSatisfy { from, to in
                send(from, &byte, 1, Int32(MSG_NOSIGNAL)) == 1 && recv(to, &byte, 1, 0) == 1
            }
        }

        /// Whether the client's end has seen an end.
        func hasEnded() -> Bool {
            var byte: UInt8 = 0
            return recv(client, &byte, 1, 0) <= 0
        }
    }

    private func watch(_ cuts: Locked<Int>, _ change: (inout SocketOptions) -> Void) -> ConnectionMonitor {
        var options = SocketOptions()
        change(&options)
        return ConnectionMonitor(
            .router, isServer: true, isEncrypted: false, options: options, unread: nil,
            counters: Locked(SocketCounters()),
            news: ConnectionObserver(failed: { _ in }, cut: { _ in cuts.withLock { $0 += 1 } }))
    }

    /// The word of libzmq that it has accepted a connection.
    private func accepted(_ descriptor: Int32, at endpoint: String) -> Message {
        var event = [UInt8](repeating: 0, count: 6)
        event.withUnsafeMutableBytes {
            $0.storeBytes(of: UInt16(0x20), as: UInt16.self)
            $0.storeBytes(of: descriptor, toByteOffset: 2, as: Int32.self)
        }
        return Message([event, Array(endpoint.utf8)])
    }

    @Test("a connection that is cut ends for its client")
    func cut() throws {
        let pair = try Pair()
        let connection = PeerConnection(pair.server, at: pair.endpoint)
        #expect(connection.address == "127.0.0.1" && pair.isOpen() && !connection.isOver)
        #expect(connection.cut() && connection.isOver && pair.hasEnded())
    }

    @Test("a socket that has got the number of a closed connection is not cut")
    func reused() throws {
        let (gone, other) = (try Pair(), try Pair())
        let connection = PeerConnection(gone.server, at: gone.endpoint)
        try gone.giveNumber(to: other)
        #expect(!connection.cut() && connection.isOver && other.isOpen())
    }

    @Test("nor is what is no connection at all any more")
    func noSocket() throws {
        let pair = try Pair()
        let connection = PeerConnection(pair.server, at: pair.endpoint)
        let null = open("/dev/null", O_RDONLY)
        defer { close(null) }
        try #require(dup2(null, pair.server) == pair.server)
        connection.look(after: .seconds(1))
        #expect(connection.isOver && connection.unfinished == 0)
        #expect(!connection.cut() && fcntl(pair.server, F_GETFD) >= 0)
    }

    @Test("a socket that got the number before libzmq's word was read is not cut", arguments: [true, false])
    func reusedBefore(_ isReused: Bool) throws {
        let (gone, other) = (try Pair(), try Pair())
        if isReused { try gone.giveNumber(to: other) }
        let watch = watch(Locked(0)) { $0.maximumConnections = 0 }
        watch.hear(accepted(gone.server, at: gone.endpoint))
        if isReused { #expect(other.isOpen()) } else { #expect(gone.hasEnded()) }
    }

    @Test(
        "who sends without an end is cut by the next look, but not a socket that has got the number",
        arguments: [true, false])
    func reusedBetweenLooks(_ isReused: Bool) throws {
        let cuts = Locked(0)
        let watch = watch(cuts) { $0.maximumMessageBytes = 500 }
        let (gone, other) = (try Pair(), try Pair())
        watch.hear(accepted(gone.server, at: gone.endpoint))
        try gone.fill(1_000)
        watch.look(at: watch.lastLook)
        // More than over the other, so that nothing but the socket itself tells them apart.
        try other.fill(2_000)
        if isReused { try gone.giveNumber(to: other) }
        watch.look(at: watch.lastLook)
        watch.look(at: watch.lastLook)
        #expect(cuts.withLock { $0 } == (isReused ? 0 : 1))
        if isReused { #expect(other.isOpen()) } else { #expect(gone.hasEnded()) }
    }

    @Test("a connection over ipc is known by its path", arguments: ["@", "/tmp/"])
    func ipc(_ beginning: String) throws {
        let path = "\(beginning)marquee-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        defer { unlink(path) }
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
        PeerConnection(server, at: "ipc:///tmp/another").cut()
        #expect(send(client, &byte, 1, Int32(MSG_NOSIGNAL)) == 1)
        PeerConnection(server, at: "ipc://\(path)").cut()
        #expect(recv(client, &byte, 1, 0) <= 0)
    }
}

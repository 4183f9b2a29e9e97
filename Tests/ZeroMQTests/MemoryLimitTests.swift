import TestSupport
import Testing

@testable import ZeroMQ

/// A client cannot fill the memory: it is disconnected first.
@Suite("Memory limits", .patience)
struct MemoryLimitTests {
    private static let mebibyte = 1 << 20
    private let keys = KeyPair()
    private let drops: AsyncStream<DroppedConnection>
    private let continuation: AsyncStream<DroppedConnection>.Continuation

    init() {
        (drops, continuation) = AsyncStream.makeStream()
    }

    /// Options with so much time that a busy machine closes no connection.
    private var patient: SocketOptions {
        var options = SocketOptions()
        options.acknowledgement = .seconds(100)
        return options
    }

    private func makeServer(isEncrypted: Bool = true) throws -> IOThread {
        let rules = Encryption.Server(keys: keys) { _, _ in .admitted(name: "friend") }
        return try IOThread(encryption: isEncrypted ? Encryption(client: nil, server: rules) : nil) { _ in
        } onDrop: { [continuation] in
            continuation.yield($0)
        }
    }

    private func makeClient() throws -> IOThread {
        let client = Encryption.Client(keys: KeyPair(), server: keys.publicKey)
        return try IOThread(encryption: Encryption(client: client, server: nil))
    }

    @Test(
        "a client whose message does not end is disconnected, and no other client",
        arguments: [(SocketKind.router, SocketKind.dealer), (.subscriber, .publisher)])
    func endless(kind: SocketKind, client: SocketKind) async throws {
        let threads = [try makeServer(), try makeClient(), try makeClient()]
        let server = try await threads[0].open(
            kind, bind: ["tcp://127.0.0.1:*"], subscriptions: kind == .subscriber ? [""] : [], options: patient)
        let other = try await threads[1].open(client, connect: server.addresses)
        let peer = try await threads[2].open(client, connect: server.addresses)
        if client == .publisher {
            for publisher in [other, peer] { await publisher.waitForSubscription() }
        }
        // Encrypting all of it takes longer than the server waits.
        await peer.send([Message([[UInt8]](repeating: [UInt8](repeating: 7, count: 1_000_000), count: 2_000))])
        #expect(
            await drops.first { _ in true } == DroppedConnection(socket: kind, address: "127.0.0.1", reason: .endless))
        await other.send([Message("question")])
        #expect(try await server.next().frames.last == Array("question".utf8))
        #expect(server.counters.received == 1 && server.counters.refused == 0)
        for thread in threads { await thread.shutdown() }
    }

    @Test("messages of the largest size are delivered again and again")
    func large() async throws {
        let threads = [try makeServer(), try makeClient()]
        var options = patient
        options.maximumMessageBytes = 3 * Self.mebibyte
        let server = try await threads[0].open(.router, bind: ["tcp://127.0.0.1:*"], options: options)
        let client = try await threads[1].open(.dealer, connect: server.addresses)
        // Encryption adds 33 bytes to a frame, which count too.
        let part = [UInt8](repeating: 7, count: Self.mebibyte - 33)
        for _ in 1...20 {
            await client.send([Message([part, part, [1]])])
            #expect(try await server.next().frames.dropFirst().map(\.count) == [part.count, part.count, 1])
        }
        #expect(server.counters.disconnections == 0)
        for thread in threads { await thread.shutdown() }
    }

    @Test(
        "a client with too many subscriptions, or too many that no topic begins with, is disconnected, and no other",
        arguments: [(1...1_001).map { "movie.\($0)" }, (1...101).map { "x\($0)" }])
    func subscriptions(prefixes: [String]) async throws {
        let threads = [try makeServer(), try makeClient(), try makeClient()]
        var options = patient
        options.isTopicPrefix = { $0.first != UInt8(ascii: "x") }
        let server = try await threads[0].open(.publisher, bind: ["tcp://127.0.0.1:*"], options: options)
        let most = (1...900).map { "movie.\($0)" } + (1...100).map { "x\($0)" }
        let other = try await threads[1].open(.subscriber, connect: server.addresses, subscriptions: most)
        #expect(await server.waitForSubscription(after: most.count - 1) != nil)
        let peer = try await threads[2].open(.subscriber, connect: server.addresses, subscriptions: prefixes)
        #expect(
            await drops.first { _ in true }
                == DroppedConnection(socket: .publisher, address: "127.0.0.1", reason: .subscriptions))
        server.post([Message("movie.1", "{}")])
        #expect(try await other.next() == Message("movie.1", "{}"))
        withExtendedLifetime(peer) {}
        for thread in threads { await thread.shutdown() }
    }

    @Test("when all clients together have too many subscriptions, the client with most is disconnected")
    func subscriptionsTogether() async throws {
        let threads = [try makeServer(), try makeClient(), try makeClient()]
        var options = patient
        options.subscriptionBytes = 10_000
        let server = try await threads[0].open(.publisher, bind: ["tcp://127.0.0.1:*"], options: options)
        func subscriptions(_ count: Int) -> [String] {
            (1...count).map { "\($0)" + String(repeating: "7", count: 90) } + ["movie."]
        }
        let few = try await threads[1].open(
            .subscriber, connect: server.addresses, subscriptions: subscriptions(40))
        #expect(await server.waitForSubscription(after: 40) != nil)
        let many = try await threads[2].open(
            .subscriber, connect: server.addresses, subscriptions: subscriptions(80))
        #expect(await drops.first { _ in true }?.reason == .subscriptions)
        server.post([Message("movie.1", "{}")])
        #expect(try await few.next() == Message("movie.1", "{}"))
        withExtendedLifetime(many) {}
        for thread in threads { await thread.shutdown() }
    }

    @Test("unread bytes are counted until the client has read them or is gone", arguments: [10, 5_000, 1_000_000])
    func unread(size: Int) async throws {
        let thread = try makeServer(isEncrypted: false)
        let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: patient)
        // More bytes than the kernels hold for a peer that does not read, and fewer messages than libzmq holds.
        let count = min(9_000, 40_000_000 / size)
        for reads in [true, false] {
            let peer = RawPeer(connectedTo: server.addresses[0])
            #expect(await onOwnThread { peer.handshake() && peer.sendBytes(RawPeer.frame([1])) })
            let question = try await server.next()
            func unread() -> Int { server.unread(by: question.peer, over: question.connection) }
            #expect(unread() == 0)
            let answer = question.answered(with: [UInt8](repeating: 7, count: size))
            await server.send([Message](repeating: answer, count: count))
            try await waitUntil("sent", look: { server.counters.sent }, is: { $0 >= count })
            if size > 10 { #expect(unread() > 0) }
            #expect(unread() <= count * answer.footprint)
            if reads {
                #expect(await onOwnThread { (0..<count).allSatisfy { _ in peer.receiveMessage() != nil } })
            } else {
                peer.shutDown()
            }
            try await waitUntil("unread bytes", look: { unread() }, is: { $0 == 0 })
            #expect(server.counters.dropped == 0)
        }
        await thread.shutdown()
    }

    @Test("when unread bytes exceed the limit, the client with most is disconnected, and no other")
    func mostUnread() async throws {
        let thread = try makeServer(isEncrypted: false)
        var options = patient
        options.unreadBytes = 30 * Self.mebibyte
        let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: options)
        let answer = [UInt8](repeating: 7, count: Self.mebibyte)
        let peers = (0..<2).map { _ in RawPeer(connectedTo: server.addresses[0]) }
        // The first has less than half of the limit: above it, the second has more, however early a scan comes.
        for (peer, count) in zip(peers, [14, 60]) {
            #expect(await onOwnThread { peer.handshake() && peer.sendBytes(RawPeer.frame([1])) })
            let question = try await server.next()
            await server.send([Message](repeating: question.answered(with: answer), count: count))
        }
        let dropped = try #require(await drops.first { _ in true })
        #expect(dropped == DroppedConnection(socket: .router, address: "127.0.0.1", reason: .unread))
        #expect(await onOwnThread { (0..<14).allSatisfy { _ in peers[0].receiveMessage()?.first == answer } })
        try await waitUntil("the end of the connection") { server.counters.disconnections > 0 }
        #expect(server.counters.disconnections == 1)
        await thread.shutdown()
    }
}

import Concurrency
import TestSupport
import Testing

@testable import ZeroMQ

@Suite("Encryption", .timeLimit(.minutes(5)))
struct EncryptionTests {
    private let server = KeyPair()
    private let friend = KeyPair()

    /// What a server's thread tells of failed handshakes, to be waited for.
    private struct Door {
        let thread: IOThread
        let failures: AsyncStream<HandshakeFailure>
    }

    private func door() throws -> Door {
        let (failures, teller) = AsyncStream.makeStream(of: HandshakeFailure.self)
        let known = friend.publicKey
        let rules = Encryption.Server(keys: server) { key, socket in
            guard key == known else { return .refused(.unknownKey) }
            return socket == .publisher ? .refused(.missingRole) : .admitted(name: "friend")
        }
        let thread = try IOThread(encryption: Encryption(client: nil, server: rules)) { teller.yield($0) }
        return Door(thread: thread, failures: failures)
    }

    private func client(_ keys: KeyPair, of server: PublicKey? = nil) throws -> IOThread {
        let client = Encryption.Client(keys: keys, server: server ?? self.server.publicKey)
        return try IOThread(encryption: Encryption(client: client, server: nil))
    }

    @Test("a key is 40 characters, and the public half follows from the secret one")
    func keys() throws {
        let text = server.publicKey.description
        #expect(text.utf8.count == 40)
        #expect(PublicKey(text) == server.publicKey)
        #expect(KeyPair(secret: server.secret)?.publicKey == server.publicKey)
        #expect(server.publicKey != friend.publicKey)
        #expect(!"\(server) \(String(reflecting: server))".contains(server.secret))
        // The last is 2^32 in five characters.
        for wrong in ["", "short", text + "0", String(repeating: "é", count: 20), String(repeating: "%nSc1", count: 8)]
        {
            #expect(PublicKey(wrong) == nil)
            #expect(KeyPair(secret: wrong) == nil)
        }
    }

    @Test("a client with a key that is known is served, and its messages carry its name", arguments: ["tcp", "ipc"])
    func known(transport: String) async throws {
        let door = try door()
        let address = transport == "tcp" ? "tcp://127.0.0.1:*" : "ipc://*"
        let router = try await door.thread.open(.router, bind: [address])
        let guest = try client(friend)
        let dealer = try await guest.open(.dealer, connect: router.addresses)
        await dealer.send([Message("question")])
        let question = try await router.next()
        #expect(question.text(at: 1) == "question")
        #expect(question.sender?.name == "friend")
        #expect(question.sender?.address == (transport == "tcp" ? "127.0.0.1" : ""))
        await router.send([Message([question.frames[0], Array("answer".utf8)])])
        #expect(try await dealer.next() == Message("answer"))
        #expect(router.counters.connections == 1)
        await guest.shutdown()
        await door.thread.shutdown()
    }

    @Test("a key that is not known is refused, with the address it came from")
    func unknown() async throws {
        let door = try door()
        let router = try await door.thread.open(.router, bind: ["tcp://127.0.0.1:*"])
        let stranger = KeyPair()
        let guest = try client(stranger)
        let dealer = try await guest.open(.dealer, connect: router.addresses)
        await dealer.send([Message("question")])
        let failure = try #require(await door.failures.first { _ in true })
        #expect(failure.reason == .unknownKey)
        #expect(failure.key == stranger.publicKey)
        #expect(failure.address == "127.0.0.1")
        #expect(failure.socket == .router)
        #expect(router.counters.received == 0)
        await guest.shutdown()
        await door.thread.shutdown()
    }

    @Test("a known client may be refused one socket and use another")
    func roles() async throws {
        let door = try door()
        let publisher = try await door.thread.open(.publisher, bind: ["tcp://127.0.0.1:*"])
        let subscriber = try await door.thread.open(.subscriber, bind: ["tcp://127.0.0.1:*"], subscriptions: [""])
        let guest = try client(friend)
        _ = try await guest.open(.subscriber, connect: publisher.addresses, subscriptions: [""])
        #expect(try #require(await door.failures.first { _ in true }).reason == .missingRole)
        let sender = try await guest.open(.publisher, connect: subscriber.addresses)
        await sender.waitForSubscribers(to: "")
        sender.post([Message("topic", "body")])
        #expect(try await subscriber.next().sender?.name == "friend")
        await guest.shutdown()
        await door.thread.shutdown()
    }

    @Test(
        "a client without encryption, and one that takes us for another server, come to nothing",
        arguments: [false, true])
    func misled(isEncrypted: Bool) async throws {
        let door = try door()
        let router = try await door.thread.open(.router, bind: ["tcp://127.0.0.1:*"])
        let guest = try isEncrypted ? client(friend, of: KeyPair().publicKey) : IOThread()
        let dealer = try await guest.open(.dealer, connect: router.addresses)
        await dealer.send([Message("question")])
        let failure = try #require(await door.failures.first { _ in true })
        // Whichever side finds out first hangs up.
        #expect([.protocol, .broken].contains(failure.reason))
        #expect(failure.key == nil)
        #expect(router.counters.received == 0)
        await guest.shutdown()
        await door.thread.shutdown()
    }

    @Test("a message that was changed on its way costs its sender the connection, and nobody else anything")
    func changed() async throws {
        let door = try door()
        var options = SocketOptions()
        options.heartbeat = .milliseconds(100)
        let router = try await door.thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: options)
        let relay = Relay(to: router.addresses[0])
        let guest = try client(friend)
        let dealer = try await guest.open(.dealer, connect: [relay.address])
        await dealer.send([Message("whole")])
        #expect(try await router.next().text(at: 1) == "whole")
        relay.changeAByte()
        await dealer.send([Message("changed")])
        await waitUntil { router.counters.connections == 0 }
        // The thread lives through the heartbeats that it would have sent.
        let end = ContinuousClock.now.advanced(by: options.heartbeat * 6)
        while ContinuousClock.now < end {
            let other = try await guest.open(.dealer, connect: router.addresses)
            await other.send([Message("other")])
            #expect(try await router.next().text(at: 1) == "other")
            await other.close()
        }
        await guest.shutdown()
        await door.thread.shutdown()
    }

    @Test("a message that does not end is noticed under encryption, too")
    func endless() async throws {
        let (cuts, teller) = AsyncStream.makeStream(of: DroppedConnection.self)
        let rules = Encryption.Server(keys: server) { _, _ in .admitted(name: "friend") }
        let thread = try IOThread(encryption: Encryption(client: nil, server: rules)) { _ in
        } onCut: {
            teller.yield($0)
        }
        let router = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"])
        let guest = try client(friend)
        let dealer = try await guest.open(.dealer, connect: router.addresses)
        // It takes longer to encrypt than the server lets it go on.
        await dealer.send([Message([[UInt8]](repeating: [UInt8](repeating: 7, count: 1_000_000), count: 2_000))])
        #expect(try #require(await cuts.first { _ in true }).reason == .endless)
        #expect(router.counters.received + router.counters.refused == 0)
        await guest.shutdown()
        await thread.shutdown()
    }

    @Test("a client that is refused learns that its connection fails")
    func clientIsTold() async throws {
        let door = try door()
        let router = try await door.thread.open(.router, bind: ["tcp://127.0.0.1:*"])
        let (failures, teller) = AsyncStream.makeStream(of: HandshakeFailure.self)
        let stranger = Encryption.Client(keys: KeyPair(), server: server.publicKey)
        let guest = try IOThread(encryption: Encryption(client: stranger, server: nil)) { teller.yield($0) }
        let dealer = try await guest.open(.dealer, connect: router.addresses)
        let failure = try #require(await failures.first { _ in true })
        #expect(failure.address == router.addresses[0])
        #expect(failure.reason == .refused)
        await dealer.close()
        await guest.shutdown()
        await door.thread.shutdown()
    }

    @Test("one connection more than there may be is cut, and those there are go on")
    func tooMany() async throws {
        let (failures, teller) = AsyncStream.makeStream(of: HandshakeFailure.self)
        let thread = try IOThread { teller.yield($0) }
        var options = SocketOptions()
        options.maximumConnections = 1
        let router = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: options)
        let first = try await thread.open(.dealer, connect: router.addresses)
        await first.send([Message("1")])
        #expect(try await router.next().text(at: 1) == "1")
        let second = try await thread.open(.dealer, connect: router.addresses)
        #expect(try #require(await failures.first { _ in true }).reason == .tooManyConnections)
        await first.send([Message("2")])
        #expect(try await router.next().text(at: 1) == "2")
        #expect(router.counters.received == 2)
        await second.close()
        await thread.shutdown()
    }
}

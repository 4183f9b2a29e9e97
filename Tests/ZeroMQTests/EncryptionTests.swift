import Concurrency
import TestSupport
import Testing

@testable import ZeroMQ

@Suite("Encryption", .patience)
struct EncryptionTests {
    private let serverKeys = KeyPair()
    private let knownClient = KeyPair()

    /// The I/O thread of an encrypted server, and the failed handshakes that it reports.
    private struct EncryptedServer {
        let thread: IOThread
        let failures: AsyncStream<HandshakeFailure>
    }

    private func makeServer() throws -> EncryptedServer {
        let (failures, continuation) = AsyncStream.makeStream(of: HandshakeFailure.self)
        let known = knownClient.publicKey
        let rules = Encryption.Server(keys: serverKeys) { key, socket in
            guard key == known else { return .refused(.unknownKey) }
            return socket == .publisher ? .refused(.missingRole) : .admitted(name: "friend")
        }
        let thread = try IOThread(encryption: Encryption(client: nil, server: rules)) { continuation.yield($0) }
        return EncryptedServer(thread: thread, failures: failures)
    }

    private func makeClient(_ keys: KeyPair, of server: PublicKey? = nil) throws -> IOThread {
        let client = Encryption.Client(keys: keys, server: server ?? serverKeys.publicKey)
        return try IOThread(encryption: Encryption(client: client, server: nil))
    }

    @Test("a key is 40 characters, and the public half follows from the secret one")
    func keys() throws {
        let text = serverKeys.publicKey.description
        #expect(text.utf8.count == 40)
        #expect(PublicKey(text) == serverKeys.publicKey)
        #expect(KeyPair(secret: serverKeys.secret)?.publicKey == serverKeys.publicKey)
        #expect(serverKeys.publicKey != knownClient.publicKey)
        #expect(!"\(serverKeys) \(String(reflecting: serverKeys))".contains(serverKeys.secret))
        // The last one encodes 2^32 in five characters.
        for wrong in ["", "short", text + "0", String(repeating: "é", count: 20), String(repeating: "%nSc1", count: 8)]
        {
            #expect(PublicKey(wrong) == nil)
            #expect(KeyPair(secret: wrong) == nil)
        }
    }

    @Test("a client with a known key is served, and its messages carry its name", arguments: ["tcp", "ipc"])
    func known(transport: String) async throws {
        let server = try makeServer()
        let address = transport == "tcp" ? "tcp://127.0.0.1:*" : "ipc://*"
        let router = try await server.thread.open(.router, bind: [address])
        let client = try makeClient(knownClient)
        let dealer = try await client.open(.dealer, connect: router.addresses)
        await dealer.send([Message("question")])
        let question = try await router.next()
        #expect(question.text(at: 1) == "question")
        #expect(question.peer?.name == "friend")
        #expect(question.peer?.address == (transport == "tcp" ? "127.0.0.1" : ""))
        await router.send([Message([question.frames[0], Array("answer".utf8)])])
        #expect(try await dealer.next() == Message("answer"))
        #expect(router.counters.connections == 1)
        await client.shutdown()
        await server.thread.shutdown()
    }

    @Test("a client with an unknown key is refused and reported with its address")
    func unknown() async throws {
        let server = try makeServer()
        let router = try await server.thread.open(.router, bind: ["tcp://127.0.0.1:*"])
        let unknownKeys = KeyPair()
        let client = try makeClient(unknownKeys)
        let dealer = try await client.open(.dealer, connect: router.addresses)
        await dealer.send([Message("question")])
        let failure = try #require(await server.failures.first { _ in true })
        #expect(failure.reason == .unknownKey)
        #expect(failure.key == unknownKeys.publicKey)
        #expect(failure.address == "127.0.0.1")
        #expect(failure.socket == .router)
        #expect(router.counters.received == 0)
        await client.shutdown()
        await server.thread.shutdown()
    }

    @Test("a known client can be refused on one socket and admitted on another")
    func roles() async throws {
        let server = try makeServer()
        let publisher = try await server.thread.open(.publisher, bind: ["tcp://127.0.0.1:*"])
        let subscriber = try await server.thread.open(.subscriber, bind: ["tcp://127.0.0.1:*"], subscriptions: [""])
        let client = try makeClient(knownClient)
        _ = try await client.open(.subscriber, connect: publisher.addresses, subscriptions: [""])
        #expect(try #require(await server.failures.first { _ in true }).reason == .missingRole)
        let publisherClient = try await client.open(.publisher, connect: subscriber.addresses)
        await publisherClient.waitForSubscription()
        publisherClient.post([Message("topic", "body")])
        #expect(try await subscriber.next().peer?.name == "friend")
        await client.shutdown()
        await server.thread.shutdown()
    }

    @Test(
        "a client without encryption, or with another server's key, is refused",
        arguments: [false, true])
    func misled(isEncrypted: Bool) async throws {
        let server = try makeServer()
        let router = try await server.thread.open(.router, bind: ["tcp://127.0.0.1:*"])
        let client = try isEncrypted ? makeClient(knownClient, of: KeyPair().publicKey) : IOThread()
        let dealer = try await client.open(.dealer, connect: router.addresses)
        await dealer.send([Message("question")])
        let failure = try #require(await server.failures.first { _ in true })
        // The side that notices first closes the connection.
        #expect([.protocol, .broken].contains(failure.reason))
        #expect(failure.key == nil)
        #expect(router.counters.received == 0)
        await client.shutdown()
        await server.thread.shutdown()
    }

    @Test("a corrupted message closes its sender's connection and affects no other client")
    func changed() async throws {
        let server = try makeServer()
        var options = SocketOptions()
        options.heartbeat = .seconds(1)
        let router = try await server.thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: options)
        let relay = TCPRelay(to: router.addresses[0])
        let client = try makeClient(knownClient)
        let dealer = try await client.open(.dealer, connect: [relay.address])
        await dealer.send([Message("whole")])
        #expect(try await router.next().text(at: 1) == "whole")
        relay.corruptNextBytes()
        await dealer.send([Message("changed")])
        try await waitUntil("the end of the connection") { router.counters.disconnections > 0 }
        // The process survives the heartbeats that libzmq would have sent.
        try await Task.sleep(for: options.heartbeat * 6)
        let other = try await client.open(.dealer, connect: router.addresses)
        await other.send([Message("other")])
        #expect(try await router.next().text(at: 1) == "other")
        await client.shutdown()
        await server.thread.shutdown()
    }

    @Test("a refused client gets a handshake failure")
    func clientGetsFailure() async throws {
        let server = try makeServer()
        let router = try await server.thread.open(.router, bind: ["tcp://127.0.0.1:*"])
        let (failures, continuation) = AsyncStream.makeStream(of: HandshakeFailure.self)
        let unknownClient = Encryption.Client(keys: KeyPair(), server: serverKeys.publicKey)
        let client = try IOThread(encryption: Encryption(client: unknownClient, server: nil)) { continuation.yield($0) }
        let dealer = try await client.open(.dealer, connect: router.addresses)
        let failure = try #require(await failures.first { _ in true })
        #expect(failure.address == router.addresses[0])
        #expect(failure.reason == .refused)
        await dealer.close()
        await client.shutdown()
        await server.thread.shutdown()
    }

    @Test("a connection beyond the limit is closed, and the others stay")
    func tooMany() async throws {
        let (failures, continuation) = AsyncStream.makeStream(of: HandshakeFailure.self)
        let thread = try IOThread { continuation.yield($0) }
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

import Concurrency
import TestSupport
import Testing

@testable import ZeroMQ

/// An answer goes to the connection that its question came over, or nowhere.
@Suite("Answers and connections", .patience)
struct AnswerTests {
    private let serverKeys = KeyPair()
    private let owner = KeyPair()
    private let thief = KeyPair()

    private func makeServer(onDrop: @escaping @Sendable (DroppedConnection) -> Void = { _ in }) throws -> IOThread {
        let names = [owner.publicKey: "owner", thief.publicKey: "thief"]
        let rules = Encryption.Server(keys: serverKeys) { key, _ in
            names[key].map { .admitted(name: $0) } ?? .refused(.unknownKey)
        }
        return try IOThread(encryption: Encryption(client: nil, server: rules), onDrop: onDrop)
    }

    /// Opens a dealer with a key, and with a routing id of its own if one is given.
    private func open(
        _ keys: KeyPair, id: [UInt8]? = nil, to server: Socket, on threads: inout [IOThread]
    ) async throws -> Socket {
        let client = Encryption.Client(keys: keys, server: serverKeys.publicKey)
        let thread = try IOThread(encryption: Encryption(client: client, server: nil))
        threads.append(thread)
        var options = SocketOptions()
        options.routingID = id
        return try await thread.open(.dealer, connect: server.addresses, options: options)
    }

    @Test(
        "a client that has hung up gets no answer, and neither does who takes its routing id", arguments: [true, false])
    func hungUp(isChosen: Bool) async throws {
        let thread = try makeServer()
        var threads = [thread]
        let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"])
        let victim = try await open(owner, id: isChosen ? Array("owner-1".utf8) : nil, to: server, on: &threads)
        await victim.send([Message("secret?")])
        let question = try await server.next()
        await victim.close()
        try await waitUntil("the end of the connection") { server.counters.disconnections >= 1 }

        let other = try await open(thief, id: question.frames[0], to: server, on: &threads)
        await other.send([Message("mine?")])
        let next = try await server.next()
        #expect(next.frames[0] == question.frames[0] && next.peer?.name == "thief")
        await server.send([question.answered(with: Array("secret".utf8)), next.answered(with: Array("yours".utf8))])
        #expect(try await other.next() == Message("yours"))
        try await waitUntil("unroutable", look: { server.counters.unroutable }, is: { $0 == 1 })
        for thread in threads { await thread.shutdown() }
    }

    @Test(
        "who announces the routing id of a connected client is disconnected, and that client is served",
        arguments: [true, false])
    func claimed(isChosen: Bool) async throws {
        let drops = Locked<[DroppedConnection.Reason]>([])
        let thread = try makeServer { drop in drops.withLock { $0.append(drop.reason) } }
        var threads = [thread]
        var options = SocketOptions()
        options.firstMessage = .seconds(2)
        let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: options)
        let victim = try await open(owner, id: isChosen ? Array("owner-1".utf8) : nil, to: server, on: &threads)
        await victim.send([Message("secret?")])
        let question = try await server.next()

        let other = try await open(thief, id: question.frames[0], to: server, on: &threads)
        await other.send([Message("mine?")])
        // Again and again, as it connects again by itself.
        let reasons = try await waitUntil("a drop", look: { drops.withLock { $0 } }, is: { !$0.isEmpty })
        #expect(Set(reasons) == [.silent])
        await server.send([question.answered(with: Array("secret".utf8))])
        #expect(try await victim.next() == Message("secret"))
        #expect(other.counters.received == 0)
        for thread in threads { await thread.shutdown() }
    }

    @Test("two connections of one key under one routing id end, and do not end the process")
    func doubled() async throws {
        let thread = try makeServer()
        var threads = [thread]
        var options = SocketOptions()
        options.heartbeat = .seconds(1)
        let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: options)
        for _ in 0..<5 {
            let first = try await open(thief, id: Array("twin".utf8), to: server, on: &threads)
            await first.send([Message("status", "{}")])
            // A question of the second connection is read if it came after the first one's end.
            let question = try #require(await server.next(1).first)
            let second = try await open(thief, id: Array("twin".utf8), to: server, on: &threads)
            await second.send([Message("status", "{}")])
            await server.send(
                [Message](repeating: question.answered(with: [UInt8](repeating: 7, count: 1_000)), count: 1_000))
            await first.close()
            await second.close()
            try await waitUntil("connections", look: { server.counters.connections }, is: { $0 == 0 })
        }
        // The process survives the heartbeats that libzmq would have sent.
        try await Task.sleep(for: options.heartbeat * 6)
        let last = try await open(owner, to: server, on: &threads)
        await last.send([Message("still there?")])
        var question: Message?
        for await batch in server.incoming {
            question = batch.first { $0.peer?.name == "owner" }
            if question != nil { break }
        }
        await server.send([try #require(question).answered(with: [1])])
        #expect(try await last.next() == Message([[1]]))
        for thread in threads { await thread.shutdown() }
    }

    @Test("the routing ids that an unseeded rand(3) would give can be claimed without harm")
    func firstIDs() async throws {
        try await withThread { thread in
            let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"])
            // What the generator gives first, with the two calls that libzmq makes for an id.
            let claims = (0..<200).map { offset -> RawPeer in
                let peer = RawPeer(connectedTo: server.addresses[0])
                let number = UInt32(0x6b8b_4567) &+ UInt32(offset)
                _ = peer.sendBytes(RawPeer.greeting(named: [0] + withUnsafeBytes(of: number.bigEndian, Array.init)))
                return peer
            }
            #expect(await onOwnThread { claims.allSatisfy { $0.waitForReady() } })
            for index in 0..<20 {
                let client = try await thread.open(.dealer, connect: server.addresses)
                await client.send([Message("hello", String(index))])
                server.post([try await server.next()])
                #expect(try await client.next() == Message("hello", String(index)))
            }
            withExtendedLifetime(claims) {}
        }
    }
}

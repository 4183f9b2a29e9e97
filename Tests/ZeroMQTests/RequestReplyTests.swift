import Foundation
import TestSupport
import Testing

@testable import ZeroMQ

/// Containers often have none.
private let machineHasIPv6 = (try? String(contentsOfFile: "/proc/net/if_inet6", encoding: .utf8))?.isEmpty == false

@Suite("Requests and replies")
struct RequestReplyTests {
    @Test("a router replies to a dealer by its routing id", .patience, arguments: ["tcp", "ipc", "inproc"])
    func roundTrip(transport: String) async throws {
        let folder = try TemporaryFolder()
        let address =
            switch transport {
            case "tcp": "tcp://127.0.0.1:*"
            case "ipc": "ipc://" + folder.file("socket")
            default: "inproc://commands"
            }
        try await withThread { thread in
            let server = try await thread.open(.router, bind: [address])
            let client = try await thread.open(.dealer, connect: server.addresses)

            await client.send([Message("status", "{}")])
            let question = try await server.next()
            #expect(question.frames.count == 3)
            #expect(question.text(at: 1) == "status")

            server.post([Message([question.frames[0]] + Message("status", #"{"up":true}"#).frames)])
            #expect(try await client.next() == Message("status", #"{"up":true}"#))
        }
    }

    @Test(
        "an IPv6 address works, and [::] takes clients of both families",
        .enabled(if: machineHasIPv6, "this machine has no IPv6"), .patience,
        arguments: [("[::1]", "[::1]"), ("[::]", "[::1]"), ("[::]", "127.0.0.1"), ("[::]", "localhost")])
    func version6(host: String, peer: String) async throws {
        try await withThread { thread in
            let server = try await thread.open(.router, bind: ["tcp://\(host):*"])
            let port = try #require(server.addresses.first?.split(separator: ":").last)
            let client = try await thread.open(.dealer, connect: ["tcp://\(peer):\(port)"])
            await client.send([Message("status", "{}")])
            let question = try await server.next()
            server.post([Message([question.frames[0]] + Message("status").frames)])
            #expect(try await client.next() == Message("status"))
        }
    }

    @Test("the empty frame of a REQ peer is received and sent back unchanged", .patience)
    func requestForm() async throws {
        try await withThread { thread in
            let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"])
            let client = try await thread.open(.dealer, connect: server.addresses)

            await client.send([Message("", "status", "{}")])
            let question = try await server.next()
            #expect(Array(question.frames[1...]) == Message("", "status", "{}").frames)
            server.post([Message([question.frames[0], []] + Message("ok").frames)])
            #expect(try await client.next() == Message("", "ok"))
        }
    }

    @Test("a reply to an unknown peer is counted", .patience)
    func unroutable() async throws {
        try await withThread { thread in
            let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"])
            #expect(server.post([Message("unknown", "hello")]).isEmpty)
            await server.close()
            #expect(server.counters.unroutable == 1)
            #expect(server.counters.sent == 0)
        }
    }

    @Test(
        "a peer that does not read loses its replies, which are counted, and the others get theirs",
        .patience)
    func slowPeer() async throws {
        var small = SocketOptions()
        small.sendHighWater = 10
        small.acknowledgement = .seconds(100)  // the slow peer does not read
        try await withThread { thread in
            let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: small)
            let slow = RawPeer(connectedTo: server.addresses[0])
            #expect(slow.sendBytes(RawPeer.greeting()) && slow.waitForReady() && slow.sendBytes([0, 5] + "hello".utf8))
            let id = try await server.next().frames[0]
            let large = [UInt8](repeating: 0, count: 1 << 16)
            let flood = Array(repeating: Message([id, large]), count: 500)
            for _ in 0..<100 where server.counters.dropped == 0 { await server.send(flood) }
            #expect(server.counters.dropped > 0)

            let quick = try await thread.open(.dealer, connect: server.addresses)
            await quick.send([Message("hello")])
            let asked = try #require(await server.next(1).first)
            server.post([Message([asked.frames[0]] + Message("welcome").frames)])
            #expect(try await quick.next() == Message("welcome"))
            withExtendedLifetime(slow) {}
        }
    }

    @Test(
        "a client whose former connection still has its routing id is disconnected soon, and then has it again",
        .patience)
    func namesake() async throws {
        try await withThread { thread in
            var options = SocketOptions()
            options.firstMessage = .seconds(2)
            let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: options)
            let former = RawPeer(connectedTo: server.addresses[0])
            #expect(
                former.sendBytes(RawPeer.greeting(named: "client-7")) && former.waitForReady()
                    && former.sendBytes([0, 1, 65]))
            #expect(try await server.next() == Message("client-7", "A"))

            let second = RawPeer(connectedTo: server.addresses[0])
            #expect(second.handshake(named: "client-7"))
            #expect(second.sendBytes(RawPeer.frame([66])))
            former.shutDown()
            #expect(await onOwnThread { second.waitForEnd() })
            try await waitUntil("connections", look: { server.counters.connections }, is: { $0 == 0 })

            let present = RawPeer(connectedTo: server.addresses[0])
            #expect(present.handshake(named: "client-7") && present.sendBytes(RawPeer.frame([68])))
            #expect(try await server.next() == Message("client-7", "D"))
            #expect(server.counters.received == 2)
            withExtendedLifetime(present) {}
        }
    }

    @Test("fifty thousand messages arrive in order, in batches", .patience)
    func order() async throws {
        try await withThread { thread in
            let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"])
            let client = try await thread.open(.dealer, connect: server.addresses)
            async let unsent = client.send(numbered(50_000))
            var next = 0
            var batches = 0
            receiving: for await batch in server.incoming {
                batches += 1
                for message in batch {
                    guard message.text(at: 2) == String(next) else { break receiving }
                    next += 1
                }
                if next == 50_000 { break }
            }
            #expect(next == 50_000)
            #expect(batches < 50_000)
            #expect(await unsent.isEmpty)
        }
    }

    @Test("one thread serves many sockets", .patience)
    func manySockets() async throws {
        try await withThread { thread in
            let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"])
            var clients: [Socket] = []
            for index in 0..<100 {
                let client = try await thread.open(.dealer, connect: server.addresses)
                await client.send([Message("hello", String(index))])
                clients.append(client)
            }
            server.post(await server.next(clients.count))
            for (index, client) in clients.enumerated() {
                #expect(try await client.next() == Message("hello", String(index)))
            }
        }
    }
}

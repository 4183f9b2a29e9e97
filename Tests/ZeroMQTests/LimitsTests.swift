import Concurrency
import TestSupport
import Testing

@testable import ZeroMQ

@Suite("Limits")
struct LimitsTests {
    private var tight: SocketOptions {
        var options = SocketOptions()
        options.sendHighWater = 50
        options.sendQueueLimit = 100
        return options
    }

    /// Waits until a socket has received or refused `count` messages.
    private func taken(_ count: Int, by socket: Socket) async throws {
        try await waitUntil("messages that were taken") {
            socket.counters.received + socket.counters.refused
        } is: {
            $0 == count
        }
    }

    @Test(
        "a router delivers what it has room for, then a truncated message for each of the others",
        .patience)
    func noRoom() async throws {
        var options = SocketOptions()
        options.receiveQueueBytes = 1 << 20
        try await withThread { thread in
            let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: options)
            let client = try await thread.open(.dealer, connect: server.addresses)
            let body = [UInt8](repeating: 7, count: 10_000)
            let count = 40_000
            await client.send((0..<count).map { Message([Array(String($0).utf8), body]) })
            // No task reads, and the server still takes every message.
            try await taken(count, by: server)

            // A later client, with the envelope of a REQ behind a proxy, is not lost behind the flood.
            let late = try await thread.open(.dealer, connect: server.addresses)
            await late.send([Message([Array("client".utf8), [], Array("late".utf8), body])])
            try await taken(count + 1, by: server)
            await client.send([Message("last")])
            try await taken(count + 2, by: server)

            let received = await server.next(count + 2)
            let whole = received.prefix { $0.truncation == nil }
            #expect((90...220).contains(whole.count))
            #expect(whole.enumerated().allSatisfy { $1.text(at: 1) == String($0) && $1.frames[2] == body })
            let refused = received.dropFirst(whole.count)
            #expect(refused.allSatisfy { $0.truncation == .noRoom })
            let route = whole[0].frames.prefix(1)
            #expect(refused.count { $0.frames[...] == route } == count - whole.count + 1)
            let other = refused.filter { $0.frames[...] != route }
            #expect(other.map { $0.frames.dropFirst() } == [[Array("client".utf8), []]])
            #expect(server.shared.receiveQueue.state.read(\.messages.isEmpty))

            await client.send([Message("again", "with room")])
            #expect(try await server.next().text(at: 2) == "with room")
        }
    }

    @Test("truncated messages keep their order among the whole ones of their peer", .patience)
    func beginningsInTurn() async throws {
        var options = SocketOptions()
        options.receiveQueueBytes = 3_000
        try await withThread { thread in
            let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: options)
            let client = try await thread.open(.dealer, connect: server.addresses)
            var sent = 0
            func fill(andSend count: Int) async throws {
                for messages in [[Message([[UInt8](repeating: 7, count: 3_000)])], numbered(count)] {
                    await client.send(messages)
                    sent += messages.count
                    try await taken(sent, by: server)
                }
            }
            try await fill(andSend: 1_500)
            // One batch is read, so there is room behind the remaining messages.
            var received = await server.next(1_000)
            try await fill(andSend: 3)
            received += await server.next(sent - received.count)
            #expect(received.indices.filter { received[$0].truncation == nil } == [0, 1_501])
            #expect(received.count == 1_505)
        }
    }

    @Test("a subscriber that does not read counts the messages that it has no room for", .patience)
    func noRoomForEvents() async throws {
        var options = SocketOptions()
        options.receiveQueueBytes = 1 << 20
        try await withThread { thread in
            let publisher = try await thread.open(.publisher, bind: ["tcp://127.0.0.1:*"])
            let reader = try await thread.open(
                .subscriber, connect: publisher.addresses, subscriptions: [""], options: options)
            await publisher.waitForSubscription()
            let body = [UInt8](repeating: 7, count: 10_000)
            await publisher.send((0..<400).map { Message([Array(String($0).utf8), body]) })
            try await taken(400, by: reader)
            let received = await reader.next(reader.counters.received)
            #expect(received.map { $0.text(at: 0) } == (0..<received.count).map(String.init))
            #expect((90..<400).contains(received.count))
        }
    }

    @Test("a peer that floods a socket and disconnects does no harm", .patience)
    func brokenOff() async throws {
        var options = SocketOptions()
        options.heartbeat = .milliseconds(50)
        options.linger = .zero
        try await withThread { thread in
            let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: options)
            let hostile = try await thread.open(.dealer, connect: server.addresses, options: options)
            await hostile.send([Message](repeating: Message([[UInt8](repeating: 7, count: 10_000)]), count: 20_000))
            await hostile.close()
            try await waitUntil("connections", look: { server.counters.connections }, is: { $0 == 0 })
            // The process survives the heartbeats that libzmq would have sent.
            let end = ContinuousClock.now.advanced(by: options.heartbeat * 6)
            while ContinuousClock.now < end {
                await (try await thread.open(.dealer, connect: server.addresses)).close()
            }
        }
    }

    @Test("messages that find no room are returned and counted", .patience)
    func noRoomToSend() async throws {
        try await withThread { thread in
            let client = try await thread.open(.dealer, connect: ["tcp://127.0.0.1:1"], options: tight)
            let messages = numbered(1000)
            let unsent = client.post(messages)
            #expect(unsent.count >= 850)
            #expect(unsent == Array(messages.suffix(unsent.count)))
            #expect(client.counters.returned == unsent.count)
        }
    }

    @Test("a cancelled sender gets back the messages that were not queued", .patience)
    func cancelledSender() async throws {
        try await withThread { thread in
            let client = try await thread.open(.dealer, connect: ["tcp://127.0.0.1:1"], options: tight)
            let messages = numbered(1000)
            let sending = Task { await client.send(messages) }
            sending.cancel()
            let unsent = await sending.value
            #expect(unsent.count >= 850)
            #expect(unsent == Array(messages.suffix(unsent.count)))
        }
    }

    @Test("a router truncates a message with too many frames, delivers and counts it", .patience)
    func tooManyFrames() async throws {
        try await withThread { thread in
            let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"])
            let client = try await thread.open(.dealer, connect: server.addresses)
            // The routing id is one of the 64.
            let most = Message((0..<63).map { [UInt8($0)] })
            await client.send([Message((0..<200).map { [UInt8($0)] }), most])
            let received = await server.next(2)
            #expect(received.map(\.truncation) == [.tooManyFrames, nil])
            for message in received { #expect(message.frames.dropFirst() == most.frames[...]) }
            #expect(server.counters.refused == 1)
            #expect(server.counters.received == 1)
        }
    }

    @Test("other sockets discard a message with too many frames and deliver the next one", .patience)
    func tooManyFramesElsewhere() async throws {
        try await withThread { thread in
            let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"])
            let client = try await thread.open(.dealer, connect: server.addresses)
            await client.send([Message("who")])
            let route = try await server.next().frames[0]
            let answers = [Message([route] + (0..<65).map { [UInt8($0)] }), Message([route, [7]])]
            await server.send(answers)
            #expect(try await client.next().frames == [[7]])
            #expect(client.counters.refused == 1)
        }
    }

    @Test("a frame that is too large closes its sender's connection and no other", .patience)
    func oversize() async throws {
        try await withThread { thread in
            let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"])
            let hostile = try await thread.open(.dealer, connect: server.addresses)
            let good = try await thread.open(.dealer, connect: server.addresses)
            let limit = SocketOptions().maximumFrameBytes
            await hostile.send([Message([[UInt8](repeating: 0, count: limit + 1)])])
            await good.send([Message([[UInt8](repeating: 1, count: limit)])])
            #expect(try await server.next().frames[1] == [UInt8](repeating: 1, count: limit))
            try await waitUntil("the end of the connection") { server.counters.disconnections > 0 }
        }
    }
}

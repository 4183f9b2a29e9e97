import Testing

@testable import ZeroMQ

@Suite("Limits")
struct LimitsTests {
    private var tight: SocketOptions {
        var options = SocketOptions()
        options.sendHighWater = 50
        options.receiveHighWater = 50
        options.inboxLimit = 100
        options.outboxLimit = 100
        return options
    }

    @Test("a reader that does not come stops its peer, and nothing is lost", .timeLimit(.minutes(5)))
    func backPressure() async throws {
        try await withThread { thread in
            let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: tight)
            let client = try await thread.open(.dealer, connect: server.addresses, options: tight)
            let body = [UInt8](repeating: 7, count: 10_000)
            let messages = (0..<20_000).map { Message([Array(String($0).utf8), body]) }
            // 200 MB fit into no queue on the way, so this ends only once somebody reads.
            async let unsent = client.send(messages)

            // The reader comes when the I/O thread has stopped reading.
            #expect(await server.exchange.inbox.state.wait(until: \.isPaused))
            #expect(server.counters.received == tight.inboxLimit)
            let received = await server.next(messages.count)
            #expect(received.map { $0.text(at: 1) } == (0..<20_000).map(String.init))
            #expect(await unsent.isEmpty)
            #expect(client.counters.sent == messages.count)
            #expect(client.counters.dropped == 0)
        }
    }

    @Test("what finds no room is given back and counted", .timeLimit(.minutes(5)))
    func noRoom() async throws {
        try await withThread { thread in
            let client = try await thread.open(.dealer, connect: ["tcp://127.0.0.1:1"], options: tight)
            let messages = numbered(1000)
            let unsent = client.post(messages)
            #expect(unsent.count >= 850)
            #expect(unsent == Array(messages.suffix(unsent.count)))
            #expect(client.counters.returned == unsent.count)
        }
    }

    @Test("a sender that is cancelled gets back what was not queued", .timeLimit(.minutes(5)))
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

    @Test("a router hands on the beginning of a message with too many frames, and counts it", .timeLimit(.minutes(5)))
    func tooManyFrames() async throws {
        try await withThread { thread in
            let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"])
            let client = try await thread.open(.dealer, connect: server.addresses)
            // The routing id is one of the 64.
            let most = Message((0..<63).map { [UInt8($0)] })
            await client.send([Message((0..<200).map { [UInt8($0)] }), most])
            let received = await server.next(2)
            #expect(received.map(\.isCut) == [true, false])
            for message in received { #expect(message.frames.dropFirst() == most.frames[...]) }
            #expect(server.counters.refused == 1)
            #expect(server.counters.received == 2)
        }
    }

    @Test("on other sockets it is gone, and the next one arrives", .timeLimit(.minutes(5)))
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

    @Test("a message that is too large costs its sender the connection, nobody else", .timeLimit(.minutes(5)))
    func oversize() async throws {
        try await withThread { thread in
            let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"])
            let hostile = try await thread.open(.dealer, connect: server.addresses)
            let good = try await thread.open(.dealer, connect: server.addresses)
            let limit = SocketOptions().maximumFrameBytes
            await hostile.send([Message([[UInt8](repeating: 0, count: limit + 1)])])
            await good.send([Message([[UInt8](repeating: 1, count: limit)])])
            #expect(try await server.next().frames[1] == [UInt8](repeating: 1, count: limit))
        }
    }

    @Test("every option is set as written", .timeLimit(.minutes(5)), arguments: SocketKind.allCases)
    func options(kind: SocketKind) async throws {
        // libzmq sets these two, but does not tell them.
        let untold = ["ZMQ_ROUTER_MANDATORY", "ZMQ_XPUB_VERBOSER"]
        try await withThread { thread in
            let socket = try await thread.open(kind, bind: ["tcp://127.0.0.1:*"])
            for setting in SocketOptions().settings(for: kind) where !untold.contains(setting.name) {
                #expect(try await socket.value(of: setting) == setting.value, "\(setting.name)")
            }
        }
    }
}

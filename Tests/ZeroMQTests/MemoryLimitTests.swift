import TestSupport
import Testing

@testable import ZeroMQ

/// A client cannot fill the memory: it is disconnected first.
@Suite("Memory limits", .patience)
struct MemoryLimitTests {
    private static let mebibyte = 1 << 20
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

    private func makeThread() throws -> IOThread {
        try IOThread { _ in
        } onDrop: { [continuation] in
            continuation.yield($0)
        }
    }

    @Test(
        "a client whose message does not end is disconnected, and no other client",
        arguments: [SocketKind.router, .subscriber, .publisher])
    func endless(kind: SocketKind) async throws {
        let thread = try makeThread()
        let server = try await thread.open(kind, bind: ["tcp://127.0.0.1:*"])
        let client: SocketKind = kind == .router ? .dealer : kind == .subscriber ? .publisher : .subscriber
        let other = try await thread.open(client, connect: server.addresses)
        let peer = RawPeer(connectedTo: server.addresses[0])
        let name = ["router": "DEALER", "subscriber": "PUB", "publisher": "SUB"][kind.rawValue] ?? ""
        let frame = RawPeer.frame([UInt8](repeating: 7, count: 1_000), more: true)
        let sent = await onOwnThread {
            guard peer.handshake(as: name) else { return 0 }
            var sent = 0
            while peer.sendBytes(frame) { sent += frame.count }
            return sent
        }
        let options = SocketOptions()
        #expect(sent > (kind == .publisher ? options.undeliveredBytes : options.maximumMessageBytes))
        let dropped = try #require(await drops.first { _ in true })
        let reason = kind == .publisher ? DroppedConnection.Reason.subscriptions : .endless
        #expect(dropped == DroppedConnection(socket: kind, address: "127.0.0.1", reason: reason))
        try await waitUntil("connections", look: { server.counters.connections }, is: { $0 == 1 })
        withExtendedLifetime(other) {}
        await thread.shutdown()
    }

    @Test(
        "a client with too many subscriptions, or too many that no topic begins with, is disconnected, and no other",
        arguments: [true, false])
    func subscriptions(areForeign: Bool) async throws {
        let thread = try makeThread()
        var options = patient
        options.isTopicPrefix = { $0.first != UInt8(ascii: "x") }
        let server = try await thread.open(.publisher, bind: ["tcp://127.0.0.1:*"], options: options)
        let other = try await thread.open(.subscriber, connect: server.addresses, subscriptions: ["movie."])
        // A client may subscribe to the same prefix again, and to others once it has ended some.
        let most = RawPeer(connectedTo: server.addresses[0])
        let peer = RawPeer(connectedTo: server.addresses[0])
        @Sendable func frame(_ verb: UInt8, _ prefix: String) -> [UInt8] { RawPeer.frame([verb] + prefix.utf8) }
        #expect(await onOwnThread { most.handshake(as: "SUB") && peer.handshake(as: "SUB") })
        #expect(
            await onOwnThread {
                (1...900).allSatisfy { most.sendBytes(frame(1, String($0)) + frame(1, String($0))) }
                    && (1...100).allSatisfy { most.sendBytes(frame(1, "x\($0)") + frame(1, "x\($0)")) }
                    && most.sendBytes(frame(0, "x1") + frame(1, "x0"))
                    && most.sendBytes(frame(0, "1") + frame(1, "last"))
            })
        await server.waitForSubscribers(to: "last")
        let bytes =
            areForeign
            ? (1...101).flatMap { frame(1, "x\($0)") }
            // Ending a subscription that it does not have gives a client no further one.
            : (1...1_001).flatMap { frame(1, String($0)) + frame(0, "other") }
        #expect(await onOwnThread { peer.sendBytes(bytes) && peer.waitForEnd() })
        #expect(
            await drops.first { _ in true }
                == DroppedConnection(socket: .publisher, address: "127.0.0.1", reason: .subscriptions))
        try await waitUntil("connections", look: { server.counters.connections }, is: { $0 == 2 })
        server.post([Message("movie.1", "{}")])
        #expect(try await other.next() == Message("movie.1", "{}"))
        #expect(server.counters.disconnections == 1)
        withExtendedLifetime(most) {}
        await thread.shutdown()
    }

    @Test("when all clients together have too many subscriptions, the client with most is disconnected")
    func subscriptionsTogether() async throws {
        let thread = try makeThread()
        var options = patient
        options.subscriptionBytes = 10_000
        let server = try await thread.open(.publisher, bind: ["tcp://127.0.0.1:*"], options: options)
        let peers = (0..<2).map { _ in RawPeer(connectedTo: server.addresses[0]) }
        @Sendable func subscriptions(_ count: Int) -> [UInt8] {
            (0..<count).flatMap { RawPeer.frame([1] + "\($0)".utf8 + [UInt8](repeating: 7, count: 90)) }
        }
        #expect(await onOwnThread { peers[0].handshake(as: "SUB") && peers[0].sendBytes(subscriptions(40)) })
        #expect(await server.waitForSubscription(after: 39) != nil)
        #expect(await onOwnThread { peers[1].handshake(as: "SUB") && peers[1].sendBytes(subscriptions(80)) })
        #expect(await onOwnThread { peers[1].waitForEnd() })
        #expect(await drops.first { _ in true }?.reason == .subscriptions)
        try await waitUntil("connections", look: { server.counters.connections }, is: { $0 == 1 })
        #expect(server.counters.disconnections == 1)
        withExtendedLifetime(peers) {}
        await thread.shutdown()
    }

    @Test(
        "clients that send subscriptions without a pause are disconnected at once, and no other client",
        arguments: [1, 16])
    func subscriptionFlood(clients: Int) async throws {
        let thread = try makeThread()
        let server = try await thread.open(.publisher, bind: ["tcp://127.0.0.1:*"], options: patient)
        let other = try await thread.open(.subscriber, connect: server.addresses, subscriptions: ["movie."])
        await server.waitForSubscribers(to: "movie.1")
        // So much only if nobody disconnects them: the server may have to wait for the processor.
        let most = 1_024 * Self.mebibyte
        // Prefixes that each cost libzmq a table of 256 places.
        let block = (0..<(1 << 16)).flatMap { number -> [UInt8] in
            let prefix = [1, UInt8(number >> 8), UInt8(number & 255)]
            return RawPeer.frame(prefix + [0]) + RawPeer.frame(prefix + [255])
        }
        let sent = await withTaskGroup(of: Int.self) { tasks in
            for _ in 0..<clients {
                let peer = RawPeer(connectedTo: server.addresses[0])
                tasks.addTask {
                    await onOwnThread {
                        guard peer.handshake(as: "SUB") else { return 0 }
                        var sent = 0
                        while sent < most, peer.sendBytes(block) { sent += block.count }
                        return sent
                    }
                }
            }
            return await tasks.reduce(into: []) { $0.append($1) }
        }
        #expect(sent.allSatisfy { $0 < most })
        var dropped = 0
        for await drop in drops {
            #expect(drop.reason == .subscriptions)
            dropped += 1
            if dropped == clients { break }
        }
        try await waitUntil("connections", look: { server.counters.connections }, is: { $0 == 1 })
        server.post([Message("movie.1", "{}")])
        #expect(try await other.next() == Message("movie.1", "{}"))
        await thread.shutdown()
    }

    @Test("slow messages of the largest size are delivered again and again")
    func large() async throws {
        let thread = try makeThread()
        var options = patient
        options.maximumMessageBytes = 3 * Self.mebibyte
        let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: options)
        let peer = RawPeer(connectedTo: server.addresses[0])
        let part = RawPeer.frame([UInt8](repeating: 7, count: Self.mebibyte), more: true)
        #expect(await onOwnThread { peer.handshake() && peer.sendBytes(part) && peer.sendBytes(part) })
        // The server scans the incomplete message meanwhile.
        try await waitForScans(3)
        #expect(await onOwnThread { peer.sendBytes(RawPeer.frame([1])) })
        #expect(try await server.next().frames.dropFirst().map(\.count) == [Self.mebibyte, Self.mebibyte, 1])
        for _ in 1...20 {
            #expect(await onOwnThread { peer.sendBytes(part + part + RawPeer.frame([1])) })
            #expect(try await server.next().frames.count == 4)
        }
        #expect(server.counters.disconnections == 0)
        await thread.shutdown()
    }

    @Test("when incomplete messages together exceed the limit, the client with the longest is disconnected")
    func together() async throws {
        let thread = try makeThread()
        var options = patient
        options.maximumMessageBytes = 100 * Self.mebibyte
        options.incompleteBytes = 5 * Self.mebibyte
        let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: options)
        let peers = (0..<2).map { _ in RawPeer(connectedTo: server.addresses[0]) }
        let part = RawPeer.frame([UInt8](repeating: 7, count: Self.mebibyte), more: true)
        for (peer, count) in zip(peers, [2, 4]) {
            let isSent = await onOwnThread { peer.handshake() && (0..<count).allSatisfy { _ in peer.sendBytes(part) } }
            // The server may end it before all of its last part is sent.
            #expect(isSent || count == 4)
        }
        #expect(await onOwnThread { peers[1].waitForEnd() })
        #expect(await onOwnThread { peers[0].sendBytes(RawPeer.frame([1])) })
        #expect(try await server.next().frames.count == 4)
        try await waitUntil("the end of the connection") { server.counters.disconnections > 0 }
        #expect(server.counters.disconnections == 1)
        await thread.shutdown()
    }

    @Test("while the process has little memory left, a client that sends much and no end is disconnected, and no other")
    func pressure() async throws {
        let thread = try makeThread()
        var options = patient
        options.pressureBytes = 1
        let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: options)
        let other = try await thread.open(.dealer, connect: server.addresses)
        let peer = RawPeer(connectedTo: server.addresses[0])
        // Half of what a message may have on the wire: 16 MB in libzmq.
        let frames = [[UInt8]](repeating: RawPeer.frame([], more: true), count: Self.mebibyte / 4).flatMap(\.self)
        #expect(await onOwnThread { peer.handshake() })
        await onOwnThread { _ = peer.sendBytes(frames) }  // may be cut off by the end
        #expect(await onOwnThread { peer.waitForEnd() })
        #expect(
            await drops.first { _ in true }
                == DroppedConnection(socket: .router, address: "127.0.0.1", reason: .endless))
        await other.send([Message("question")])
        #expect(try await server.next().text(at: 1) == "question")
        try await waitUntil("disconnections", look: { server.counters.disconnections }, is: { $0 == 1 })
        await thread.shutdown()
    }

    @Test("many clients that send little each and no end are disconnected, until all together have sent little")
    func pressureOfMany() async throws {
        let thread = try makeThread()
        var options = patient
        options.pressureBytes = 1
        let server = try await thread.open(.subscriber, bind: ["tcp://127.0.0.1:*"], options: options)
        let frames = [[UInt8]](repeating: RawPeer.frame([], more: true), count: 8 << 10).flatMap(\.self)
        let peers = (0..<40).map { _ in RawPeer(connectedTo: server.addresses[0]) }
        #expect(await onOwnThread { peers.allSatisfy { $0.handshake(as: "PUB") && $0.sendBytes(frames) } })
        var dropped = 0
        for await drop in drops {
            #expect(drop.reason == .endless)
            dropped += 1
            // 16 of the 40 have 256 KiB.
            if dropped == 24 { break }
        }
        withExtendedLifetime(peers) {}
        await thread.shutdown()
    }

    @Test("the less memory is left, the sooner it is looked at again")
    func pressureChecks() {
        let now = MonotonicTime.now
        func check(_ resident: Int) -> (isHigh: Bool, pause: Duration) {
            var pressure = MemoryPressure(limit: 1 << 30)
            return (pressure.isHigh(at: now, resident: resident), pressure.nextCheck - now)
        }
        #expect(check(0) == (false, .milliseconds(100)))
        #expect(check((1 << 30) - (64 << 20)) == (false, .seconds(0.0625)))
        #expect(check(1 << 30) == (false, .milliseconds(5)))
        #expect(check(2 << 30) == (true, .milliseconds(5)))
    }

    @Test("unread bytes are counted until the client has read them or is gone", arguments: [10, 5_000, 1_000_000])
    func unread(size: Int) async throws {
        let thread = try makeThread()
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
        let thread = try makeThread()
        var options = patient
        options.unreadBytes = 30 * Self.mebibyte
        let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: options)
        let answer = [UInt8](repeating: 7, count: Self.mebibyte)
        let peers = (0..<2).map { _ in RawPeer(connectedTo: server.addresses[0]) }
        for (peer, count) in zip(peers, [25, 60]) {
            #expect(await onOwnThread { peer.handshake() && peer.sendBytes(RawPeer.frame([1])) })
            let question = try await server.next()
            await server.send([Message](repeating: question.answered(with: answer), count: count))
        }
        let dropped = try #require(await drops.first { _ in true })
        #expect(dropped == DroppedConnection(socket: .router, address: "127.0.0.1", reason: .unread))
        #expect(await onOwnThread { (0..<25).allSatisfy { _ in peers[0].receiveMessage()?.first == answer } })
        try await waitUntil("the end of the connection") { server.counters.disconnections > 0 }
        #expect(server.counters.disconnections == 1)
        await thread.shutdown()
    }

    /// Waits until the server has had the time for `count` further scans of its connections.
    private func waitForScans(_ count: Int) async throws {
        try await Task.sleep(for: ConnectionMonitor.scanIntervals.lowerBound * (count + 1))
    }
}

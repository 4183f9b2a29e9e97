import TestSupport
import Testing

@testable import ZeroMQ

@Suite("Publishing and subscribing")
struct PublishTests {
    @Test("a subscriber receives every message that is sent after its subscription has arrived", .patience)
    func lateSubscriber() async throws {
        try await withThread { thread in
            let publisher = try await thread.open(.publisher, bind: ["tcp://127.0.0.1:*"])
            let subscriber = try await thread.open(
                .subscriber, connect: publisher.addresses, subscriptions: ["ranking."])
            #expect(await publisher.waitForSubscription() == 1)

            publisher.post([Message("movie.20234675", "not asked for"), Message("ranking.day.all.2024-06-04", "{}")])
            #expect(try await subscriber.next() == Message("ranking.day.all.2024-06-04", "{}"))
        }
    }

    @Test("a connected publisher can wait until a bound subscriber receives its messages", .patience)
    func connectedPublisher() async throws {
        try await withThread { thread in
            let requests = try await thread.open(
                .subscriber, bind: ["tcp://127.0.0.1:*"], subscriptions: ["fetch."])
            let client = try await thread.open(.publisher, connect: requests.addresses)
            #expect(await client.waitForSubscription() == 1)
            await client.send([Message("fetch.day", "yesterday")])
            #expect(try await requests.next() == Message("fetch.day", "yesterday"))
        }
    }

    @Test("each subscription is counted", .patience)
    func counting() async throws {
        try await withThread { thread in
            let publisher = try await thread.open(.publisher, bind: ["tcp://127.0.0.1:*"])
            let one = try await thread.open(.subscriber, connect: publisher.addresses, subscriptions: ["a"])
            let other = try await thread.open(
                .subscriber, connect: publisher.addresses, subscriptions: ["a", "ab"])
            #expect(await publisher.waitForSubscription(after: 2) == 3)

            publisher.post([Message("abc")])
            #expect(try await one.next() == Message("abc"))
            #expect(try await other.next() == Message("abc"))
        }
    }

    @Test(
        "each subscriber receives frames as they were when they were sent, copied or not", .patience,
        arguments: [ZeroCopyFrame.minimumBytes - 1, ZeroCopyFrame.minimumBytes, 20_000])
    func frames(size: Int) async throws {
        try await withThread { thread in
            let publisher = try await thread.open(.publisher, bind: ["tcp://127.0.0.1:*"])
            let one = try await thread.open(.subscriber, connect: publisher.addresses, subscriptions: [""])
            let other = try await thread.open(.subscriber, connect: publisher.addresses, subscriptions: [""])
            #expect(await publisher.waitForSubscription(after: 1) == 2)

            let sent = (0..<100).map { Message([[UInt8($0)], [UInt8](repeating: UInt8($0), count: size)]) }
            var changed = sent
            publisher.post(changed)
            for index in changed.indices { changed[index].frames[1][size - 1] = 255 }
            #expect(await one.next(100) == sent)
            #expect(await other.next(100) == sent)
        }
    }

    @Test("waiting for a subscription ends when the publisher is closed", .patience)
    func waitingEnds() async throws {
        try await withThread { thread in
            let publisher = try await thread.open(.publisher, bind: ["tcp://127.0.0.1:*"])
            async let found = publisher.waitForSubscription()
            await publisher.close()
            #expect(await found == nil)
        }
    }

    @Test("a subscription that is too long closes its sender's connection and no other", .patience)
    func longSubscription() async throws {
        try await withThread { thread in
            let publisher = try await thread.open(.publisher, bind: ["tcp://127.0.0.1:*"])
            let hostile = try await thread.open(
                .subscriber, connect: publisher.addresses, subscriptions: [String(repeating: "x", count: 2000)])
            let good = try await thread.open(.subscriber, connect: publisher.addresses, subscriptions: ["x"])
            #expect(await publisher.waitForSubscription() == 1)
            publisher.post([Message("x")])
            #expect(try await good.next() == Message("x"))
            #expect(hostile.counters.received == 0)
        }
    }

    @Test("a malformed subscription is rejected", .patience)
    func malformed() async throws {
        try await withThread { thread in
            let publisher = try await thread.open(.publisher, bind: ["tcp://127.0.0.1:*"])
            let peer = RawPeer(connectedTo: publisher.addresses[0])
            #expect(
                await onOwnThread {
                    peer.handshake(as: "SUB") && [[7], [1]].allSatisfy { peer.sendBytes(RawPeer.frame($0)) }
                })
            #expect(await publisher.waitForSubscription() == 1)
            try await waitUntil("refused messages", look: { publisher.counters.refused }, is: { $0 == 1 })
        }
    }
}

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
            #expect(await publisher.waitForSubscribers(to: "ranking.day.all.2024-06-04"))

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
            #expect(await client.waitForSubscribers(to: "fetch.day"))
            await client.send([Message("fetch.day", "yesterday")])
            #expect(try await requests.next() == Message("fetch.day", "yesterday"))
        }
    }

    @Test("each subscription to a prefix is counted", .patience)
    func counting() async throws {
        try await withThread { thread in
            let publisher = try await thread.open(.publisher, bind: ["tcp://127.0.0.1:*"])
            let one = try await thread.open(.subscriber, connect: publisher.addresses, subscriptions: ["a"])
            let other = try await thread.open(.subscriber, connect: publisher.addresses)
            try await other.subscribe(to: "a")
            try await other.subscribe(to: "ab")
            #expect(await publisher.waitForSubscribers(to: "abc", count: 3))

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
            #expect(await publisher.waitForSubscribers(to: "", count: 2))

            let sent = (0..<100).map { Message([[UInt8($0)], [UInt8](repeating: UInt8($0), count: size)]) }
            var changed = sent
            publisher.post(changed)
            for index in changed.indices { changed[index].frames[1][size - 1] = 255 }
            #expect(await one.next(100) == sent)
            #expect(await other.next(100) == sent)
        }
    }

    @Test("waiting for subscribers ends when the publisher is closed", .patience)
    func waitingEnds() async throws {
        try await withThread { thread in
            let publisher = try await thread.open(.publisher, bind: ["tcp://127.0.0.1:*"])
            async let found = publisher.waitForSubscribers(to: "anything")
            await publisher.close()
            #expect(await found == false)
        }
    }

    @Test("a subscription that is too long closes its sender's connection and no other", .patience)
    func longSubscription() async throws {
        try await withThread { thread in
            let publisher = try await thread.open(.publisher, bind: ["tcp://127.0.0.1:*"])
            let hostile = try await thread.open(
                .subscriber, connect: publisher.addresses, subscriptions: [String(repeating: "x", count: 2000)])
            let good = try await thread.open(.subscriber, connect: publisher.addresses, subscriptions: ["x"])
            #expect(await publisher.waitForSubscribers(to: "x"))
            publisher.post([Message("x")])
            #expect(try await good.next() == Message("x"))
            #expect(hostile.counters.received == 0)
        }
    }

    @Test("a malformed subscription is rejected")
    func malformed() {
        let subscribers = SubscriptionCounts()
        #expect(subscribers.record(Message([[1] + "a".utf8])))
        #expect(!subscribers.record(Message("hello")))
        #expect(!subscribers.record(Message([[]])))
        #expect(!subscribers.record(Message([[1], [1]])))
    }

    @Test("only the first 10,000 prefixes are counted")
    func boundedPrefixes() {
        let subscribers = SubscriptionCounts()
        let accepted = (0..<10_001).count { subscribers.record(Message([[1] + String($0).utf8])) }
        #expect(accepted == 10_000)
        #expect(subscribers.record(Message([[0] + "7".utf8])))
        #expect(subscribers.record(Message([[1] + "new".utf8])))
    }
}

import Concurrency
import EventStore
import EventStoreTestSupport
import FoundationEssentials
import TestSupport
import Testing
import ZeroMQ

@testable import Contract
@testable import Messaging

/// Subscriptions over real sockets and a real log.
@Suite(.patience) struct SubscriptionTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("a late subscriber gets the earlier events, then the live ones", arguments: [["request."], [""]])
    func lateJoiner(_ prefixes: [String]) async throws {
        let harness = try await PublisherHarness(EventLogFixture(in: folder))
        harness.send(try await harness.write(requests(3_000)))
        let subscription = try await harness.subscription(to: prefixes, from: nil)
        // Streams have no order between them.
        async let numbers = subscription.numbers(upTo: 3_003, of: .request)
        await harness.waitForSubscriber()
        try await harness.publish("request.done.a", "movie.AAAAAAAA", "request.done.b", "request.done.c")
        #expect(try await numbers == Array(1...3_003))
        await harness.end()
    }

    @Test("the next page is requested while the consumer handles the previous one")
    func readingAhead() async throws {
        let (questions, question) = AsyncStream<Void>.makeStream()
        let harness = try await PublisherHarness(EventLogFixture(in: folder)) { command in
            if command.name == "replay" { question.yield() }
            return nil
        }
        harness.send(try await harness.write(requests(1_200)))
        let subscription = try await harness.subscription(to: ["request."], from: nil)
        var asked = questions.makeAsyncIterator()
        var (pages, asks) = (0, 0)
        let last = try await subscription.readBatches { batch -> Int? in
            pages += 1
            guard batch.items.count == 500 else { return pages }
            while asks <= pages {
                _ = await asked.next()
                asks += 1
            }
            return nil
        }
        #expect(last == 3)
        await harness.end()
    }

    @Test(
        "a heartbeat reveals the loss of the last event, also in a part of a stream",
        arguments: [("movie.", [1, 2, 3]), ("movie.A", [1, 3])])
    func lastEvent(_ prefix: String, _ expected: [UInt64]) async throws {
        let harness = try await PublisherHarness(EventLogFixture(in: folder))
        let subscription = try await harness.subscription(to: [prefix], from: nil)
        async let numbers = subscription.numbers(upTo: 3)
        await harness.waitForSubscriber()
        try await harness.publish("movie.AAAAAAAA")
        try await harness.write(["movie.BBBBBBBB", "movie.AAAAAAAA"])
        try await harness.sendHeartbeat()
        #expect(try await numbers == expected)
        await harness.end()
    }

    @Test("the subscription waits for a process that restarts or has not started yet")
    func restart() async throws {
        let (events, commands) = ("ipc://\(folder.file("events"))", "ipc://\(folder.file("commands"))")
        let log = try await EventLogFixture(in: folder)
        let io = try IOThread()
        let subscription = try await Subscription(
            io, events: [events], commands: [commands], prefixes: ["movie."], from: nil)
        let (happenings, happened) = AsyncStream<UInt64>.makeStream()
        async let end: Void? = subscription.read { delivery -> Void? in
            if case .event(let event) = delivery { happened.yield(event.sequence.value) }
            return nil
        }
        var delivered = happenings.makeAsyncIterator()
        for life in 0..<3 {
            let harness = try await PublisherHarness(log, events: events, commands: commands)
            await harness.waitForSubscriber()
            try await harness.publish("movie.AAAAAAAA")
            #expect(await delivered.next() == UInt64(2 * life + 1))
            // Written, and then it dies before it can say so.
            try await harness.write(["movie.BBBBBBBB"])
            await harness.end()
            if life < 2 {
                let next = try await PublisherHarness(log, events: events, commands: commands)
                #expect(await delivered.next() == UInt64(2 * life + 2))
                await next.end()
            }
        }
        await subscription.close()
        #expect(try await end == nil)
        await io.shutdown()
    }

    @Test("a subscription goes on at the next host when one is silent", arguments: ["movie.", "movie.A"])
    func nextHost(_ prefix: String) async throws {
        let log = try await EventLogFixture(in: folder)
        let (first, second) = (try await PublisherHarness(log), try await PublisherHarness(log))
        let io = try IOThread()
        let clock = ManualClock()
        let hosts = Locked<[String]>([])
        let subscription = try await Subscription(
            io, events: [first.events, second.events], commands: [first.commands, second.commands],
            prefixes: [prefix], from: nil, clock: clock
        ) { note in
            if case .goingOn(let address) = note { hosts.withLock { $0.append(address) } }
        }
        let (happenings, happened) = AsyncStream<UInt64>.makeStream()
        async let end: Void? = subscription.read { delivery -> Void? in
            if case .event(let event) = delivery { happened.yield(event.sequence.value) }
            return nil
        }
        var delivered = happenings.makeAsyncIterator()
        await first.waitForSubscriber()
        try await first.publish("movie.AAAAAAAA", "movie.AAAAAAAA")
        #expect(await delivered.next() == 1)
        #expect(await delivered.next() == 2)
        // It dies, and something is written before the other one is heard.
        await first.end()
        try await second.write(["movie.AAAAAAAA"])
        try await waitUntil("the change") {
            clock.advance(by: .seconds(1))
            return hosts.withLock { $0 }
        } is: {
            $0.first == second.events
        }
        await second.waitForSubscriber()
        try await second.sendHeartbeat()
        // The log is asked for at the first host, too: the pauses of the change, of the command and of its limit.
        await clock.sleepers(atLeast: 3)
        clock.advance(by: .seconds(1))
        #expect(await delivered.next() == 3)
        second.send(try await log.page(of: .movie).events)
        try await second.publish("movie.AAAAAAAA")
        #expect(await delivered.next() == 4)
        await subscription.close()
        #expect(try await end == nil)
        happened.finish()
        #expect(await delivered.next() == nil)
        await second.end()
        await io.shutdown()
    }

    @Test("a new log is reported and read from its beginning")
    func newLog() async throws {
        let (events, commands) = ("ipc://\(folder.file("events"))", "ipc://\(folder.file("commands"))")
        let old = try await PublisherHarness(EventLogFixture(in: folder), events: events, commands: commands)
        try await old.publish("movie.AAAAAAAA", "movie.BBBBBBBB")
        let io = try IOThread()
        let subscription = try await Subscription(
            io, events: [events], commands: [commands], prefixes: ["movie."], from: nil)
        let (happenings, happened) = AsyncStream<String>.makeStream()
        async let end: Void? = subscription.read { delivery -> Void? in
            switch delivery {
            case .event(let event): happened.yield("\(event.topic) \(event.sequence.value)")
            case .newLog(let position): happened.yield(position.epoch)
            case .live: break
            }
            return nil
        }
        var delivered = happenings.makeAsyncIterator()
        #expect(await delivered.next() == "movie.AAAAAAAA 1")
        #expect(await delivered.next() == "movie.BBBBBBBB 2")
        await old.end()
        let other = try TemporaryFolder()
        let new = try await PublisherHarness(EventLogFixture(in: other), events: events, commands: commands)
        try await new.publish("movie.CCCCCCCC")
        await new.waitForSubscriber()
        try await new.sendHeartbeat()
        #expect(await delivered.next() == new.log.log.epoch)
        #expect(await delivered.next() == "movie.CCCCCCCC 1")
        await subscription.close()
        #expect(try await end == nil)
        await new.end()
        await io.shutdown()
    }

    @Test("a missing reply and a refusal are reported, and the command is repeated after growing pauses")
    func unanswered() async throws {
        let questions = Locked(0)
        let (asked, silence) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        let harness = try await PublisherHarness(EventLogFixture(in: folder)) { command in
            guard command.name == "replay" else { return nil }
            let number = questions.withLock { count in
                count += 1
                return count
            }
            switch number {
            case 1: return .refused(ContractError(.internal, "not now"))
            case 2: return Reply(frames: [Array("what?".utf8)])
            case 3:
                asked.continuation.finish()
                for await _ in silence.stream {}
                return .refused(ContractError(.internal, "too late"))
            default: return nil
            }
        }
        harness.send(try await harness.write(requests(3)))
        let clock = ManualClock()
        let (notes, noted) = AsyncStream<(Duration, String)>.makeStream()
        let subscription = try await harness.subscription(to: ["request."], from: nil, clock: clock) { note in
            if case .retrying(let pause, let error) = note { noted.yield((pause, "\(error)")) }
        }
        async let numbers = subscription.numbers(upTo: 3)
        var waits = notes.makeAsyncIterator()
        for (pause, words) in [(250, "not now"), (500, "what?"), (1_000, "no reply from")] {
            if pause == 1_000 {
                // The deadline's own sleep, then the pause's.
                for await _ in asked.stream {}
                await clock.sleepers()
                clock.advance(by: .seconds(10))
            }
            let wait = try #require(await waits.next())
            if pause == 1_000 { silence.continuation.finish() }
            #expect(wait.0 == .milliseconds(pause))
            #expect(wait.1.contains(words))
            await clock.sleepers()
            clock.advance(by: .milliseconds(pause))
        }
        #expect(try await numbers == [1, 2, 3])
        await harness.end()
    }

    @Test("closing ends the client, also during a pause", arguments: [true, false])
    func close(inPause: Bool) async throws {
        let harness = try await PublisherHarness(EventLogFixture(in: folder)) { _ in
            .refused(ContractError(.internal, "not now"))
        }
        if inPause { try await harness.publish("movie.AAAAAAAA") }
        let (notes, noted) = AsyncStream<Void>.makeStream()
        let subscription = try await harness.subscription(
            to: ["movie."], from: nil, clock: ManualClock()
        ) { _ in noted.finish() }
        async let end: Void? = subscription.read { delivery -> Void? in
            if case .live = delivery { noted.finish() }
            return nil
        }
        for await _ in notes {}
        await subscription.close()
        #expect(try await end == nil)
        await harness.end()
    }
}

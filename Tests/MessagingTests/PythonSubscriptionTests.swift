import EventStore
import EventStoreTestSupport
import Foundation
import TestSupport
import Testing

@testable import Contract

/// `Examples/subscription.py` against a process that comes, goes, forgets to say things, and loses its log.
@Suite(.patience) struct PythonSubscriptionTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(
        "the subscription continues after a restart and in a new log, for whole streams and parts",
        arguments: ["movie.", "movie.A"])
    func lives(_ prefix: String) async throws {
        let (events, commands) = ("ipc://\(folder.file("events"))", "ipc://\(folder.file("commands"))")
        let log = try await EventLogFixture(in: folder)
        let first = try await PublisherHarness(log, events: events, commands: commands)
        let subscriber = try PythonSubscriber(first, [prefix, "--from-start", "--stop-after", "5"])
        await first.waitForSubscriber()
        try await first.publish("movie.AAAAAAAA")
        var output = await subscriber.piece()
        // Written, and then it dies before it can say so.
        try await first.write(["movie.AAAAAAAA"])
        await first.end()

        let second = try await PublisherHarness(log, events: events, commands: commands)
        output += await subscriber.piece()
        second.send(try await log.page(of: .movie).events)
        try await second.publish("movie.AAAAAAAA")
        output += await subscriber.piece()
        await second.end()

        let other = try TemporaryFolder()
        let third = try await PublisherHarness(EventLogFixture(in: other), events: events, commands: commands)
        try await third.publish("movie.AAAAAAAA", "movie.AAAAAAAA")
        output += await subscriber.rest()
        #expect(numbers(in: output) == [1, 2, 3, 1, 2])
        await third.end()
    }

    @Test("the subscription goes on at the next host when one is silent")
    func nextHost() async throws {
        let log = try await EventLogFixture(in: folder)
        let first = try await PublisherHarness(log)
        let second = try await PublisherHarness(
            log, events: first.events.replacing("127.0.0.1", with: "127.0.0.2"),
            commands: first.commands.replacing("127.0.0.1", with: "127.0.0.2"))
        let subscriber = try PythonSubscriber(
            first, hosts: "127.0.0.1,127.0.0.2", ["movie.", "--from-start", "--stop-after", "3"])
        await first.waitForSubscriber()
        try await first.publish("movie.AAAAAAAA")
        var output = await subscriber.piece()
        // It dies, and something is written before the other one is heard.
        await first.end()
        second.send(try await log.page(of: .movie).events)
        try await second.publish("movie.BBBBBBBB")
        output += await subscriber.piece()
        try await second.publish("movie.CCCCCCCC")
        output += await subscriber.rest()
        #expect(numbers(in: output) == [1, 2, 3])
        await second.end()
    }

    @Test("the client repeats a refused command over a new connection")
    func refused() async throws {
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let once = AnswerOnce(.refused(ContractError(.internal, "not now")))
        let harness = try await PublisherHarness(EventLogFixture(in: folder)) { command in
            ask.yield()
            return await once.take()
        }
        harness.send(try await harness.write(["movie.AAAAAAAA", "movie.BBBBBBBB"]))
        let subscriber = try PythonSubscriber(harness, ["--from-start", "--stop-after", "2"])
        #expect(await numbers(in: subscriber.rest()) == [1, 2])
        ask.finish()
        var questions = 0
        for await _ in asked { questions += 1 }
        // A heartbeat that comes before the answer may be one more reason to ask.
        #expect(questions >= 2)
        await harness.end()
    }
}

/// An answer that is given to one question only.
private actor AnswerOnce {
    private var reply: Reply?

    init(_ reply: Reply) {
        self.reply = reply
    }

    func take() -> Reply? {
        defer { reply = nil }
        return reply
    }
}

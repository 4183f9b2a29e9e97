import Concurrency
import EventStoreTestSupport
import Foundation
import Messaging
import TestSupport
import Testing
import ZeroMQ

@testable import Contract
@testable import EventStore

/// The cases in which a plain subscriber was measured to lose 65 % and 79 % of the events: none is lost here.
@Suite(.patience) struct MeasuredLossTests {
    /// 50,000 events of 2 kB, written once for all; the files have no names any more and go with the process.
    private static let written = Task {
        let log = try await EventLogFixture(in: TemporaryFolder())
        let padding = String(repeating: "x", count: 1_600)
        let drafts = try (1...50_000).map { number in
            try EventDraft(#require(Topic("request.done.\(number)")), encoding: padding)
        }
        return (log: log, events: try await log.append(drafts))
    }

    let log: EventLogFixture
    let events: [LoggedEvent]

    init() async throws {
        (log, events) = try await Self.written.value
    }

    /// Sends all events as fast as the queues take them, and more than they hold.
    func flood(_ harness: PublisherHarness) {
        for first in stride(from: 0, to: events.count, by: 5_000) { harness.send(Array(events[first..<first + 5_000])) }
    }

    @Test("a late subscriber with default high-water marks receives everything")
    func lateJoiner() async throws {
        let harness = try await PublisherHarness(log, advertisesAll: false)
        harness.send(Array(events.prefix(30_000)))
        let subscription = try await harness.subscription(to: ["request."], from: nil)
        async let numbers = subscription.numbers(upTo: 50_000)
        await harness.waitForSubscriber()
        harness.send(Array(events.suffix(20_000)))
        #expect(try await numbers == Array(1...50_000))
        await harness.end()
    }

    /// Checks that each event was delivered once; in order in a whole stream, while in a part of one each topic has but
    /// one event here.
    func expectAll(_ numbers: [UInt64], of prefix: String) {
        #expect((prefix == "request." ? numbers : numbers.sorted()) == Array(1...50_000))
    }

    @Test(
        "a stalled subscriber loses nothing: dropped events are read from the log",
        arguments: ["request.", "request.done."])
    func stall(_ prefix: String) async throws {
        let harness = try await PublisherHarness(log, advertisesAll: false)
        let repaired = Locked(0)
        let subscription = try await harness.subscription(to: [prefix], from: nil) { note in
            if case .repaired(_, let count) = note { repaired.withLock { $0 += count } }
        }
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let (stalls, stalled) = AsyncStream<Void>.makeStream()
        async let numbers = {
            var numbers: [UInt64] = []
            _ = try await subscription.read { delivery -> Bool? in
                switch delivery {
                case .live:
                    stalled.finish()
                    for await _ in gate {}
                case .event(let event): numbers.append(event.sequence.value)
                case .newLog: break
                }
                return numbers.count == 50_000 ? true : nil
            }
            return numbers
        }()
        for await _ in stalls {}
        flood(harness)
        opener.finish()
        expectAll(try await numbers, of: prefix)
        #expect(repaired.withLock { $0 } > 10_000)
        await harness.end()
    }

    @Test("a late subscriber in Python receives everything")
    func lateJoinerInPython() async throws {
        let harness = try await PublisherHarness(log, advertisesAll: false)
        harness.send(Array(events.prefix(30_000)))
        let subscriber = try PythonSubscriber(harness, ["request.", "--from-start", "--stop-after", "50000"])
        await harness.waitForSubscriber()
        harness.send(Array(events.suffix(20_000)))
        #expect(await numbers(in: subscriber.rest()) == Array(1...50_000))
        await harness.end()
    }

    @Test("a stopped Python subscriber loses nothing", arguments: ["request.", "request.done."])
    func stallInPython(_ prefix: String) async throws {
        let harness = try await PublisherHarness(log, advertisesAll: false)
        let subscriber = try PythonSubscriber(harness, [prefix, "--from-start", "--stop-after", "50000"])
        await harness.waitForSubscriber()
        harness.send([events[0]])
        let first = await subscriber.piece()
        subscriber.signal(SIGSTOP)
        flood(harness)
        subscriber.signal(SIGCONT)
        expectAll(await numbers(in: first + subscriber.rest()), of: prefix)
        await harness.end()
    }
}

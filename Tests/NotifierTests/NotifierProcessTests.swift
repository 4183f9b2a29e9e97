import BoxOffice
import Contract
import Foundation
import TestSupport
import Testing

@testable import Notifier

/// The whole notifier against a worker's log: what fires when it starts, stops, and starts again.
@Suite(.patience) struct NotifierProcessTests {
    let harness: NotifierHarness
    let before: Date
    let after: Date

    init() throws {
        harness = try NotifierHarness()
        before = harness.began - 1
        after = harness.began + 1
    }

    /// The id of an alert about the movie with this letter.
    func id(_ rule: String, _ letter: Character, _ day: Int) -> String {
        "\(rule).\(String(repeating: letter, count: 8)).2024-06-0\(day).all"
    }

    @Test("charts logged before the first start fire nothing; later charts are compared with them")
    func firstStart() async throws {
        let worker = try await harness.worker()
        for day in 1...3 { try await worker.publish(day, "ANB", at: before) }
        #expect(try await harness.alerts(0) == [])
        #expect(try await harness.logged() == [])
        try await worker.publish(4, "BAC", at: after)
        #expect(try await harness.alerts(2) == [id("lead", "B", 4), id("left", "N", 4)])
        await worker.end()
    }

    @Test("backfilled charts fire nothing; later charts are compared with them")
    func backfill() async throws {
        let worker = try await harness.worker()
        try await worker.publish(1, "AB", at: before)
        #expect(try await harness.alerts(0) == [])
        try await worker.publish(2, "BAN", at: after, priority: .backfill)
        try await worker.publish(3, "AB", at: after, priority: .backfill)
        try await worker.publish(4, "BA", at: after)
        #expect(try await harness.alerts(1) == [id("lead", "B", 4)])
        await worker.end()
    }

    @Test("charts published after the start, but before the notifier reached the worker, fire")
    func lateWorker() async throws {
        let worker = try await harness.worker()
        try await worker.publish(1, "AB", at: before)
        try await worker.publish(2, "BA", at: after)
        #expect(try await harness.alerts(1) == [id("lead", "B", 2)])
        await worker.end()
    }

    @Test("once all published events are read, later ones are not baseline, even if the clock is set back")
    func clockSetBack() async throws {
        let worker = try await harness.worker()
        try await worker.publish(1, "AB", at: before)
        #expect(try await harness.alerts(0) == [])
        try await worker.publish(2, "BA", at: before)
        #expect(try await harness.alerts(1) == [id("lead", "B", 2)])
        await worker.end()
    }

    @Test("decisions that cannot be stored are stored later, once and in order")
    func refusal() async throws {
        let worker = try await harness.worker()
        try await worker.publish(1, "AB", at: before)
        let alerts = try await harness.alerts(3, isRefused: true) {
            try await worker.publish(2, "BA", at: after)
            try await worker.publish(3, "AB", at: after)
            try await worker.publish(4, "BA", at: after)
        }
        #expect(alerts == [id("lead", "B", 2), id("lead", "A", 3), id("lead", "B", 4)])
        #expect(try await harness.logged() == alerts)
        #expect(try await harness.storedSequence() == 4)
        await worker.end()
    }

    @Test("a lost chart is read from the log and decided on before the later ones")
    func lostChart() async throws {
        let worker = try await harness.worker()
        try await worker.publish(1, "AB", at: before)
        let alerts = try await harness.alerts(2) {
            try await worker.publish(2, "BA", at: after, isLost: true)
            try await worker.publish(3, "AB", at: after)
        }
        #expect(alerts == [id("lead", "B", 2), id("lead", "A", 3)])
        await worker.end()
    }

    @Test("a notifier that is stopped repeatedly makes each decision of an uninterrupted one, once")
    func restarts() async throws {
        let days = ["AB", "BA", "BN", "NC", "NC", "CN"]
        let all = [
            id("lead", "B", 2), id("entered", "N", 3), id("left", "A", 3), id("entered", "N", 4), id("lead", "N", 4),
            id("left", "B", 4), id("entered", "N", 5), id("lead", "C", 6), id("entered", "N", 6),
        ]
        let counts = [0, 1, 3, 6, 7, 9]
        let worker = try await harness.worker()
        for (index, titles) in days.enumerated() {
            try await worker.publish(index + 1, titles, at: after)
            #expect(try await harness.alerts(counts[index]) == Array(all.prefix(counts[index])))
            #expect(try await harness.storedSequence() == UInt64(index + 1))
        }
        let other = try NotifierHarness()
        let same = try await other.worker()
        for (index, titles) in days.enumerated() { try await same.publish(index + 1, titles, at: after) }
        #expect(try await other.alerts(9) == all)
        await worker.end()
        await same.end()
    }

    @Test("with since, the baseline fires from that day on, once, and a correction retracts what it fired")
    func since() async throws {
        let worker = try await harness.worker()
        for (day, titles) in [(2, "BA"), (1, "AB"), (3, "AB")] { try await worker.publish(day, titles, at: before) }
        let day = try #require(KoreanDate("2024-06-02"))
        #expect(try await harness.alerts(0) == [])
        for _ in 0..<2 { #expect(try await harness.alerts(2, since: day) == [id("lead", "B", 2), id("lead", "A", 3)]) }
        #expect(try await harness.alerts(0) == [])
        #expect(try await harness.logged().count == 2)
        try await worker.publish(3, "BA", at: after)
        #expect(try await harness.alerts(3).last == "\(id("lead", "A", 3)).retracted")
        await worker.end()
    }

    @Test("restarts, also with another day for since, forget no alert that a correction can retract")
    func laterSince() async throws {
        let worker = try await harness.worker()
        for (day, titles) in [(1, "AB"), (2, "BA"), (36, "BA")] { try await worker.publish(day, titles, at: after) }
        #expect(try await harness.alerts(1) == [id("lead", "B", 2)])
        #expect(try await harness.alerts(1, since: KoreanDate("2024-07-06")) == [id("lead", "B", 2)])
        try await worker.publish(2, "AB", at: after)
        #expect(try await harness.alerts(0) == [])
        #expect(try await harness.logged() == [id("lead", "B", 2), "\(id("lead", "B", 2)).retracted"])
        await worker.end()
    }

    @Test("charts of a new log are compared with each other only, and alerts do not fire again")
    func newLog() async throws {
        let worker = try await harness.worker()
        try await worker.publish(1, "AB", at: after)
        try await worker.publish(2, "BN", at: after)
        #expect(try await harness.alerts(3) == [id("lead", "B", 2), id("entered", "N", 2), id("left", "A", 2)])
        await worker.end()
        let other = try await harness.worker("other.db")
        try await other.publish(1, "CB", at: after)
        try await other.publish(3, "AN", at: after)
        try await other.publish(2, "BN", at: after)
        let expected = try await harness.logged() + [id("entered", "N", 3)]
        #expect(try await harness.alerts(4) == expected)
        await other.end()
    }
}

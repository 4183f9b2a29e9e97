import BoxOffice
import Contract
import Foundation
import Testing

@testable import Notifier

/// The whole notifier against a worker's log: what fires when it starts, stops, and starts again.
@Suite(.timeLimit(.minutes(5))) struct NotifierProcessTests {
    let room: Newsroom
    let before: Date
    let after: Date

    init() throws {
        room = try Newsroom()
        before = room.began - 1
        after = room.began + 1
    }

    /// The id of an alert about the film with this letter.
    func id(_ rule: String, _ letter: Character, _ day: Int) -> String {
        "\(rule).\(String(repeating: letter, count: 8)).2024-06-0\(day).all"
    }

    @Test("what was logged before the first start is known, and fires nothing; what comes later is compared with it")
    func firstStart() async throws {
        let worker = try await room.worker()
        for day in 1...3 { try await worker.publish(day, "ANB", at: before) }
        #expect(try await room.alerts(0) == [])
        #expect(try await room.logged() == [])
        try await worker.publish(4, "BA", at: after)
        #expect(try await room.alerts(2) == [id("lead", "B", 4), id("left", "N", 4)])
        await worker.end()
    }

    @Test("what backfill brings is known, and fires nothing; what comes later is compared with it")
    func backfill() async throws {
        let worker = try await room.worker()
        try await worker.publish(1, "AB", at: before)
        #expect(try await room.alerts(0) == [])
        try await worker.publish(2, "BAN", at: after, priority: .backfill)
        try await worker.publish(3, "AB", at: after, priority: .backfill)
        try await worker.publish(4, "BA", at: after)
        #expect(try await room.alerts(1) == [id("lead", "B", 4)])
        await worker.end()
    }

    @Test("what was published before the worker was reached, but after the start, fires")
    func lateWorker() async throws {
        let worker = try await room.worker()
        try await worker.publish(1, "AB", at: before)
        try await worker.publish(2, "BA", at: after)
        #expect(try await room.alerts(1) == [id("lead", "B", 2)])
        await worker.end()
    }

    @Test("once all is read that had been published, nothing is history any more, though a clock is set back")
    func clockSetBack() async throws {
        let worker = try await room.worker()
        try await worker.publish(1, "AB", at: before)
        #expect(try await room.alerts(0) == [])
        try await worker.publish(2, "BA", at: before)
        #expect(try await room.alerts(1) == [id("lead", "B", 2)])
        await worker.end()
    }

    @Test("what the disk refuses is written once it no longer does, in its order and once")
    func refusal() async throws {
        let worker = try await room.worker()
        try await worker.publish(1, "AB", at: before)
        let alerts = try await room.alerts(3, isRefused: true) {
            try await worker.publish(2, "BA", at: after)
            try await worker.publish(3, "AB", at: after)
            try await worker.publish(4, "BA", at: after)
        }
        #expect(alerts == [id("lead", "B", 2), id("lead", "A", 3), id("lead", "B", 4)])
        #expect(try await room.logged() == alerts)
        #expect(try await room.place() == 4)
        await worker.end()
    }

    @Test("a chart that was lost on its way is decided on before the later ones that arrived")
    func lostChart() async throws {
        let worker = try await room.worker()
        try await worker.publish(1, "AB", at: before)
        let alerts = try await room.alerts(2) {
            try await worker.publish(2, "BA", at: after, isLost: true)
            try await worker.publish(3, "AB", at: after)
        }
        #expect(alerts == [id("lead", "B", 2), id("lead", "A", 3)])
        await worker.end()
    }

    @Test("a notifier that is stopped again and again decides what one that runs on does, each once")
    func restarts() async throws {
        let days = ["AB", "BA", "BN", "NC", "NC", "CN"]
        let all = [
            id("lead", "B", 2), id("entered", "N", 3), id("left", "A", 3), id("entered", "N", 4), id("lead", "N", 4),
            id("left", "B", 4), id("entered", "N", 5), id("lead", "C", 6), id("entered", "N", 6),
        ]
        let counts = [0, 1, 3, 6, 7, 9]
        let worker = try await room.worker()
        for (index, titles) in days.enumerated() {
            try await worker.publish(index + 1, titles, at: after)
            #expect(try await room.alerts(counts[index]) == Array(all.prefix(counts[index])))
            #expect(try await room.place() == UInt64(index + 1))
        }
        let other = try Newsroom()
        let same = try await other.worker()
        for (index, titles) in days.enumerated() { try await same.publish(index + 1, titles, at: after) }
        #expect(try await other.alerts(9) == all)
        await worker.end()
        await same.end()
    }

    @Test("since a day, history fires from that day on, once")
    func since() async throws {
        let worker = try await room.worker()
        for (day, titles) in [(2, "BA"), (1, "AB"), (3, "AB")] { try await worker.publish(day, titles, at: before) }
        let day = try #require(KoreanDate("2024-06-02"))
        #expect(try await room.alerts(0) == [])
        for _ in 0..<2 { #expect(try await room.alerts(2, since: day) == [id("lead", "B", 2), id("lead", "A", 3)]) }
        #expect(try await room.alerts(0) == [])
        #expect(try await room.logged().count == 2)
        await worker.end()
    }

    @Test("a new log's charts are compared with each other only, and what was decided is not decided again")
    func newLog() async throws {
        let worker = try await room.worker()
        try await worker.publish(1, "AB", at: after)
        try await worker.publish(2, "BN", at: after)
        #expect(try await room.alerts(3) == [id("lead", "B", 2), id("entered", "N", 2), id("left", "A", 2)])
        await worker.end()
        let other = try await room.worker("other.db")
        try await other.publish(1, "CB", at: after)
        try await other.publish(3, "AN", at: after)
        try await other.publish(2, "BN", at: after)
        let expected = try await room.logged() + [id("entered", "N", 3)]
        #expect(try await room.alerts(4) == expected)
        await other.end()
    }
}

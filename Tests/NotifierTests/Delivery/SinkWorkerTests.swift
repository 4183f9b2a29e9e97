import Contract
import EventStore
import Foundation
import SQLite
import TestSupport
import Testing

@testable import Notifier

/// Letters from the outbox to a sink, by a clock that stands still.
@Suite(.timeLimit(.minutes(5))) struct SinkWorkerTests {
    @Test("letters arrive in the order of their alerts, each once, with the event as it was published")
    func order() async throws {
        let box = Mailbox()
        let office = try await PostOffice([ConfiguredSink("desk", box)])
        try await office.alert("AB")
        try await office.open {
            await box.receive(2)
            try await office.alert("C")
            await box.receive(1)
            try await office.alert("D")
            await box.receive(1)
        }
        #expect(box.keys == ["lead.A.20", "lead.B.20", "lead.C.20", "lead.D.20"])
        let logged = try await office.database.read { [log = office.log] connection in
            try log.events(of: .alert, after: .zero, limit: 10, in: connection).events.map(\.body)
        }
        #expect(box.letters.map { $0.alerts[0].body } == logged)
    }

    @Test("one that fails is tried again after a pause, under the same key, before those behind it")
    func again() async throws {
        let box = Mailbox(.failed(), .failed(retryAfter: .seconds(60)))
        let office = try await PostOffice([ConfiguredSink("desk", box)])
        try await office.alert("AB")
        try await office.open {
            await box.receive(1)
            await office.clock.sleepers()
            office.clock.advance(by: .seconds(2.5))
            await box.receive(1)
            await office.clock.sleepers()
            office.clock.advance(by: .seconds(59))
            await office.clock.sleepers()
            #expect(box.keys.count == 2)
            office.clock.advance(by: .seconds(1))
            await box.receive(2)
        }
        #expect(box.keys == ["lead.A.20", "lead.A.20", "lead.A.20", "lead.B.20"])
    }

    @Test("a refusal makes a dead letter, and the next one goes; sent again, it has the key that it had")
    func dead() async throws {
        let box = Mailbox(.refused)
        let office = try await PostOffice([ConfiguredSink("desk", box)])
        let outbox = office.outbox
        try await office.alert("AB")
        try await office.open {
            await box.receive(2)
            let counts = try await office.settled("desk") { $0.sent == 1 }
            #expect(counts.dead == 1)
            let revived = try await office.database.write { try outbox.revive(.of(sink: "desk"), in: $0) }
            #expect(revived == ["desk": 1])
            await box.receive(1)
        }
        #expect(box.keys == ["lead.A.20", "lead.B.20", "lead.A.20"])
    }

    @Test("after its last attempt a letter is dead")
    func attempts() async throws {
        let box = Mailbox(.failed(), .failed(), .failed())
        var recipient = ConfiguredSink("desk", box)
        recipient.backoff.attempts = 2
        let office = try await PostOffice([recipient])
        try await office.alert("A")
        try await office.open {
            await box.receive(1)
            await office.clock.sleepers()
            office.clock.advance(by: .seconds(5))
            await box.receive(1)
            _ = try await office.settled("desk") { $0.dead == 1 }
        }
        #expect(try await office.deliveries("desk") == ["lead.A.20 dead 2"])
    }

    @Test("a sink that never answers delays no other")
    func silence() async throws {
        let box = Mailbox()
        let office = try await PostOffice([ConfiguredSink("silent", Silence()), ConfiguredSink("desk", box)])
        try await office.alert("ABC")
        try await office.open { await box.receive(3) }
        #expect(try await office.deliveries("silent")[1] == "lead.B.20 waiting 0")
    }

    @Test("what was in hand when the process was killed goes out again, under the same key, and nothing else twice")
    func killed() async throws {
        let first = try await PostOffice([ConfiguredSink("desk", Silence())])
        try await first.alert("AB")
        try await first.open {
            _ = try await first.tried("desk")
        }
        #expect(try await first.deliveries("desk") == ["lead.A.20 waiting 1", "lead.B.20 waiting 0"])
        let box = Mailbox()
        let next = try await PostOffice([ConfiguredSink("desk", box)], after: first)
        try await next.open { await box.receive(2) }
        #expect(box.keys == ["lead.A.20", "lead.B.20"])
    }

    @Test("quiet hours hold letters, and alerts are in the outbox all the same")
    func quiet() async throws {
        let box = Mailbox()
        var recipient = ConfiguredSink("desk", box)
        recipient.timetable.quietHours = QuietHours("23:00-08:00")
        let office = try await PostOffice([recipient], start: "2026-11-21 23:30")
        try await office.open {
            try await office.alert("A")
            for _ in 1...8 {
                await office.clock.sleepers()
                office.clock.advance(by: .seconds(3_600))
            }
            #expect(box.keys.isEmpty)
            #expect(try await office.deliveries("desk") == ["lead.A.20 waiting 0"])
            await office.clock.sleepers()
            office.clock.advance(by: .seconds(1_800))
            await box.receive(1)
        }
    }

    @Test("a rate holds the next letter until there is room, also after a restart")
    func rate() async throws {
        let box = Mailbox()
        var recipient = ConfiguredSink("desk", box)
        recipient.timetable.rate = RateLimit("1/1m")
        let first = try await PostOffice([recipient])
        try await first.alert("AB")
        try await first.open {
            await box.receive(1)
            await first.clock.sleepers()
        }
        let next = try await PostOffice([recipient], after: first)
        try await next.open {
            await next.clock.sleepers()
            #expect(box.keys.count == 1)
            next.clock.advance(by: .seconds(60))
            await box.receive(1)
        }
        #expect(box.keys == ["lead.A.20", "lead.B.20"])
    }

    @Test("a day's alerts are one letter; a digest that was in hand at a crash is sent again as it was")
    func digest() async throws {
        var recipient = ConfiguredSink("desk", Silence())
        recipient.timetable.digest = TimeOfDay("12:30")
        let first = try await PostOffice([recipient])
        try await first.alert("ABC")
        try await first.open {
            await first.clock.sleepers()
            first.clock.advance(by: .seconds(1_800))
            _ = try await first.tried("desk")
        }
        let box = Mailbox()
        var other = ConfiguredSink("desk", box)
        other.timetable = recipient.timetable
        let next = try await PostOffice([other], after: first)
        try await next.alert("D")
        try await next.open {
            await box.receive(1)
            _ = try await next.settled("desk") { $0.sent == 3 }
        }
        #expect(box.keys == ["digest.desk.2026-11-21"])
        #expect(box.letters[0].alerts.map(\.id) == ["lead.A.20", "lead.B.20", "lead.C.20"])
        #expect(try await next.deliveries("desk").last == "lead.D.20 waiting 0")
    }

    @Test("an alert that is taken back while its letter is in hand is followed by what takes it back")
    func takenBackInHand() async throws {
        let first = try await PostOffice([ConfiguredSink("desk", Silence())])
        try await first.alert("A")
        try await first.open {
            _ = try await first.tried("desk")
            try await first.alert("A", retracts: "lead.A.20")
        }
        #expect(try await first.deliveries("desk") == ["lead.A.20 waiting 1", "back.lead.A.20 waiting 0"])
    }

    @Test("answers are kept without secrets and line ends")
    func answers() async throws {
        let box = Mailbox(.refused)
        let office = try await PostOffice([ConfiguredSink("desk", box)])
        try await office.alert("A")
        try await office.open { _ = try await office.settled("desk") { $0.dead == 1 } }
        let answers = try await office.database.read { connection in
            try connection.query("select answer from attempt", as: String?.self)
        }
        #expect(answers == ["as told, with a *** "])
        #expect(!office.lines.withLock { $0.joined() }.contains("hush"))
    }
}

extension PostOffice {
    /// Waits until a sink's deliveries are as wanted; the table tells nobody, so it is asked until they are.
    func settled(_ sink: String, until isWanted: (SinkCounts) -> Bool) async throws -> SinkCounts {
        while true {
            try Task.checkCancellation()
            let counts = try await database.read { [outbox] in try outbox.counts(in: $0) }[sink] ?? SinkCounts()
            if isWanted(counts) { return counts }
        }
    }

    /// Waits until a letter to a sink is in hand, and returns its key.
    func tried(_ sink: String) async throws -> String {
        while true {
            try Task.checkCancellation()
            let letters = try await database.read { connection in
                try connection.query("select letter from attempt where sink = ?", sink, as: String.self)
            }
            if let letter = letters.first { return letter }
        }
    }
}

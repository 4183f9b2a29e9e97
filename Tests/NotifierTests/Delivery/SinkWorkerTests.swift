import BoxOffice
import Contract
import EventStore
import Foundation
import ServiceRuntime
import Storage
import TestSupport
import Testing
import Text

@testable import Notifier

/// Messages from the outbox to a sink, by a clock that stands still.
@Suite(.patience) struct SinkWorkerTests {
    @Test("messages arrive in the order of their alerts, each once, with the event as it was published")
    func order() async throws {
        let sink = RecordingSink()
        let harness = try await DeliveryHarness([ConfiguredSink("editor", sink)])
        try await harness.alert("AB")
        try await harness.open {
            await sink.receive(2)
            try await harness.alert("C")
            await sink.receive(1)
            try await harness.alert("D")
            await sink.receive(1)
        }
        #expect(sink.keys == ["lead.A.20", "lead.B.20", "lead.C.20", "lead.D.20"])
        let logged = try await harness.database.read { [log = harness.log] connection in
            try log.events(of: .alert, after: .zero, limit: 10, in: connection).events.map(\.body)
        }
        #expect(sink.messages.map { $0.alerts[0].body } == logged)
    }

    @Test("a failed message is retried after a pause with the same key, before the ones behind it")
    func again() async throws {
        let sink = RecordingSink(.failed(), .failed(retryAfter: .seconds(60)))
        let harness = try await DeliveryHarness([ConfiguredSink("editor", sink)])
        try await harness.alert("AB")
        try await harness.open {
            await sink.receive(1)
            await harness.clock.sleepers()
            harness.clock.advance(by: .seconds(2.5))
            await sink.receive(1)
            await harness.clock.sleepers()
            harness.clock.advance(by: .seconds(59))
            await harness.clock.sleepers()
            #expect(sink.keys.count == 2)
            harness.clock.advance(by: .seconds(1))
            await sink.receive(2)
        }
        #expect(sink.keys == ["lead.A.20", "lead.A.20", "lead.A.20", "lead.B.20"])
    }

    @Test("a pause of more than a day is cut to a day")
    func longPause() async throws {
        let sink = RecordingSink(.failed(retryAfter: .seconds(200_000)))
        let harness = try await DeliveryHarness([ConfiguredSink("editor", sink)])
        try await harness.alert("A")
        try await harness.open {
            await sink.receive(1)
            await harness.clock.sleepers()
            harness.clock.advance(by: .seconds(86_400))
            await sink.receive(1)
        }
        #expect(sink.keys == ["lead.A.20", "lead.A.20"])
    }

    @Test("the first attempt fixes a message's poster: a repeated message is the same, whatever is found meanwhile")
    func poster() async throws {
        let sink = RecordingSink(.failed())
        let harness = try await DeliveryHarness([ConfiguredSink("editor", sink)])
        let outbox = harness.outbox
        try await harness.database.write { try outbox.save([.letter("A"): "1a1a1a1a1a1a"], in: $0) }
        try await harness.alert("ABC")
        try await harness.database.write { try outbox.save([.letter("B"): "2b2b2b2b2b2b"], in: $0) }
        try await harness.open {
            await sink.receive(1)
            let found: [MovieCode: String?] = [
                .letter("A"): "3c3c3c3c3c3c", .letter("B"): nil, .letter("C"): "4d4d4d4d4d4d",
            ]
            try await harness.database.write { try outbox.save(found, in: $0) }
            await harness.clock.sleepers()
            harness.clock.advance(by: .seconds(2.5))
            await sink.receive(3)
        }
        let posters = ["AAAAAAAA/1a1a1a1a1a1a", "AAAAAAAA/1a1a1a1a1a1a", nil, "CCCCCCCC/4d4d4d4d4d4d"]
        #expect(sink.messages.map { $0.alerts[0].poster } == posters)
    }

    @Test("a rejected message becomes a dead letter and the next one is sent; a manual retry keeps its key")
    func dead() async throws {
        let sink = RecordingSink(.rejected)
        let harness = try await DeliveryHarness([ConfiguredSink("editor", sink)])
        let outbox = harness.outbox
        try await harness.alert("AB")
        try await harness.open {
            await sink.receive(2)
            let counts = try await harness.settled("editor") { $0.sent == 1 }
            #expect(counts.dead == 1)
            let revived = try await harness.database.write { try outbox.requeue(sink: "editor", in: $0) }
            #expect(revived == ["editor": 1])
            // As a client does that gets no answer.
            #expect(try await harness.database.write { try outbox.requeue(sink: "editor", in: $0) } == [:])
            await sink.receive(1)
        }
        #expect(sink.keys == ["lead.A.20", "lead.B.20", "lead.A.20"])
    }

    @Test("a mail that some recipients refuse is a dead letter that names them; a manual retry sends it to them alone")
    func refusedRecipient() async throws {
        let server = try await Counterpart("mail.py", ["-", "--refuse", "two@example.org"])
        func editor(_ recipients: String) throws -> ConfiguredSink {
            let sender = "kind: mail, host: 127.0.0.1, port: \(server.port), security: none, from: marquee@example.org"
            return try ConfiguredSink(reading: "\(sender), to: [\(recipients)]")
        }
        func nextRecipients() async throws -> [String] {
            struct Mail: Decodable { let to: [String] }
            return try JSONDecoder().decode(Mail.self, from: Data(try #require(await server.line()).utf8)).to
        }
        let first = try await DeliveryHarness([editor("one@example.org, two@example.org")])
        try await first.alert("A")
        try await first.open {
            #expect(try await nextRecipients() == ["one@example.org"])
            _ = try await first.settled("editor") { $0.dead == 1 }
        }
        let answer = try await first.database.read { try $0.query("select response from delivery", as: String.self) }
        #expect(answer[0].hasSuffix("two@example.org: 550 5.1.1 no such mailbox here"))
        #expect(first.lines.withLock { $0.contains { $0.contains(answer[0]) } })

        let next = try await DeliveryHarness([editor("one@example.org, three@example.org")], after: first)
        let outbox = next.outbox
        _ = try await next.database.write { try outbox.requeue(sink: "editor", in: $0) }
        try await next.open {
            #expect(try await nextRecipients() == ["three@example.org"])
            _ = try await next.settled("editor") { $0.sent == 1 }
        }
    }

    @Test(
        "an alert that cannot be read is a dead letter, and does not delay those behind it", arguments: [true, false])
    func unreadable(isDigest: Bool) async throws {
        let sink = RecordingSink()
        var recipient = ConfiguredSink("editor", sink)
        if isDigest { recipient.policy.digest = TimeOfDay("12:00") }
        let harness = try await DeliveryHarness([recipient], start: "2026-11-21 11:59")
        try await harness.alert("ABC")
        try await harness.database.write { connection in
            try connection.execute("update delivery set alert = 'lead.X.20' where alert = 'lead.B.20'")
        }
        harness.clock.advance(by: .seconds(60))
        try await harness.open { await sink.receive(isDigest ? 1 : 2) }
        #expect(sink.messages.flatMap(\.alerts).map(\.id) == ["lead.A.20", "lead.C.20"])
        #expect(try await harness.deliveries("editor")[1] == "lead.X.20 dead 0")
        #expect(harness.lines.withLock { $0.contains { $0.contains("lead.X.20") } })
    }

    @Test("a message becomes a dead letter after its last attempt")
    func attempts() async throws {
        let sink = RecordingSink(.failed(), .failed(), .failed())
        var recipient = ConfiguredSink("editor", sink)
        recipient.backoff.attempts = 2
        let harness = try await DeliveryHarness([recipient])
        try await harness.alert("A")
        try await harness.open {
            await sink.receive(1)
            await harness.clock.sleepers()
            harness.clock.advance(by: .seconds(5))
            await sink.receive(1)
            _ = try await harness.settled("editor") { $0.dead == 1 }
        }
        #expect(try await harness.deliveries("editor") == ["lead.A.20 dead 2"])
    }

    @Test("a sink that never replies delays no other sink")
    func silence() async throws {
        let sink = RecordingSink()
        let harness = try await DeliveryHarness([
            ConfiguredSink("silent", SilentSink()), ConfiguredSink("editor", sink),
        ])
        try await harness.alert("ABC")
        try await harness.open { await sink.receive(3) }
        #expect(try await harness.deliveries("silent")[1] == "lead.B.20 waiting 0")
    }

    @Test(
        "a message in progress when the process was killed is sent again with the same key, and no other twice")
    func killed() async throws {
        let first = try await DeliveryHarness([ConfiguredSink("editor", SilentSink())])
        try await first.alert("AB")
        try await first.open {
            _ = try await first.tried("editor")
        }
        #expect(try await first.deliveries("editor") == ["lead.A.20 waiting 1", "lead.B.20 waiting 0"])
        let sink = RecordingSink()
        let next = try await DeliveryHarness([ConfiguredSink("editor", sink)], after: first)
        try await next.open { await sink.receive(2) }
        #expect(sink.keys == ["lead.A.20", "lead.B.20"])
    }

    @Test("quiet hours delay messages, while alerts still enter the outbox")
    func quiet() async throws {
        let sink = RecordingSink()
        var recipient = ConfiguredSink("editor", sink)
        recipient.policy.quietHours = QuietHours("23:00-08:00")
        let harness = try await DeliveryHarness([recipient], start: "2026-11-21 23:30")
        try await harness.open {
            try await harness.alert("A")
            for _ in 1...8 {
                await harness.clock.sleepers()
                harness.clock.advance(by: .seconds(3_600))
            }
            #expect(sink.keys.isEmpty)
            #expect(try await harness.deliveries("editor") == ["lead.A.20 waiting 0"])
            await harness.clock.sleepers()
            harness.clock.advance(by: .seconds(1_800))
            await sink.receive(1)
        }
    }

    @Test("a rate limit delays the next message, also after a restart")
    func rate() async throws {
        let sink = RecordingSink()
        var recipient = ConfiguredSink("editor", sink)
        recipient.policy.rate = RateLimit("1/1m")
        let first = try await DeliveryHarness([recipient])
        try await first.alert("AB")
        try await first.open {
            await sink.receive(1)
            await first.clock.sleepers()
        }
        let next = try await DeliveryHarness([recipient], after: first)
        try await next.open {
            await next.clock.sleepers()
            #expect(sink.keys.count == 1)
            next.clock.advance(by: .seconds(60))
            await sink.receive(1)
        }
        #expect(sink.keys == ["lead.A.20", "lead.B.20"])
    }

    @Test("a digest has the alerts of a day; after a crash during its delivery, the same digest is sent again")
    func digest() async throws {
        var recipient = ConfiguredSink("editor", SilentSink())
        recipient.policy.digest = TimeOfDay("12:30")
        let first = try await DeliveryHarness([recipient])
        try await first.alert("ABC")
        try await first.open {
            await first.clock.sleepers()
            first.clock.advance(by: .seconds(1_800))
            _ = try await first.tried("editor")
        }
        let sink = RecordingSink()
        var other = ConfiguredSink("editor", sink)
        other.policy = recipient.policy
        let next = try await DeliveryHarness([other], after: first)
        try await next.alert("D")
        try await next.open {
            await sink.receive(1)
            _ = try await next.settled("editor") { $0.sent == 3 }
        }
        #expect(sink.keys == ["digest.editor.2026-11-21"])
        #expect(sink.messages[0].alerts.map(\.id) == ["lead.A.20", "lead.B.20", "lead.C.20"])
        #expect(try await next.deliveries("editor").last == "lead.D.20 waiting 0")
    }

    @Test("an alert that is retracted while its message is being sent is followed by its retraction")
    func takenBackInHand() async throws {
        let first = try await DeliveryHarness([ConfiguredSink("editor", SilentSink())])
        try await first.alert("A")
        try await first.open {
            _ = try await first.tried("editor")
            try await first.alert("A", retracts: "lead.A.20")
        }
        #expect(try await first.deliveries("editor") == ["lead.A.20 waiting 1", "back.lead.A.20 waiting 0"])
    }

    @Test("stored responses contain no secrets and no line breaks")
    func responses() async throws {
        var editor = ConfiguredSink("editor", RecordingSink(.rejected))
        editor.secrets = [Secret("hush")]
        let harness = try await DeliveryHarness([editor])
        try await harness.alert("A")
        try await harness.open { _ = try await harness.settled("editor") { $0.dead == 1 } }
        let responses = try await harness.database.read { connection in
            try connection.query("select response from attempt", as: String?.self)
        }
        #expect(responses == ["as told, with a *** "])
        #expect(!harness.lines.withLock { $0.joined() }.contains("hush"))
    }
}

extension DeliveryHarness {
    /// Waits until a sink's deliveries are as wanted; the table tells nobody, so it is asked until they are.
    func settled(_ sink: String, until isWanted: (SinkCounts) -> Bool) async throws -> SinkCounts {
        try await waitUntil("the deliveries to \(sink)") {
            try await database.read { [outbox] in try outbox.counts(in: $0) }[sink] ?? SinkCounts()
        } is: {
            isWanted($0)
        }
    }

    /// Waits until a message to a sink is in hand, and returns its key.
    func tried(_ sink: String) async throws -> String {
        let messages = try await waitUntil("a message to \(sink)") {
            try await database.read { connection in
                try connection.query("select message from attempt where sink = ?", sink, as: String.self)
            }
        } is: {
            !$0.isEmpty
        }
        return messages[0]
    }
}

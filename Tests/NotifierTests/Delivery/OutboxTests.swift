import BoxOffice
import Contract
import EventStore
import Foundation
import JSONCoding
import OpenMarket
import Storage
import TestSupport
import Testing

@testable import Notifier

/// What gets into the outbox, and what does not.
@Suite(.patience) struct OutboxTests {
    private func recipient(_ name: String, _ change: (inout ConfiguredSink) -> Void = { _ in }) -> ConfiguredSink {
        var recipient = ConfiguredSink(name, RecordingSink())
        change(&recipient)
        return recipient
    }

    @Test("an alert goes once to each sink that selects its rule and severity, even if it is enqueued repeatedly")
    func wanted() async throws {
        let harness = try await DeliveryHarness([
            recipient("all"), recipient("leads") { $0.rules = ["lead"] }, recipient("major") { $0.severity = .major },
        ])
        try await harness.alert("A", rule: "lead", severity: .notable)
        try await harness.alert("B", rule: "rose", severity: .major)
        try await harness.alert("A", rule: "lead", severity: .notable)
        #expect(try await harness.deliveries("all") == ["lead.A.20 waiting 0", "rose.B.20 waiting 0"])
        #expect(try await harness.deliveries("leads") == ["lead.A.20 waiting 0"])
        #expect(try await harness.deliveries("major") == ["rose.B.20 waiting 0"])
    }

    @Test("an alert is equal before it enters the log and after it is read from it", arguments: [true, false])
    func sameAlert(_ isAboutMovie: Bool) async throws {
        let harness = try await DeliveryHarness([])
        let alert = Alert(
            rule: isAboutMovie ? "lead" : "priceFell", date: KoreanDate(dayNumber: 20_778),
            movieCode: isAboutMovie ? .letter("A") : nil, product: isAboutMovie ? nil : ProductID(7), title: "파묘",
            rank: nil, previousRank: nil, change: nil, severity: .major, values: [:],
            text: Alert.Text(ko: "〈파묘〉", en: "\"Pamyo\""),
            evidence: [.init(stream: isAboutMovie ? .ranking : .product, sequence: .zero)],
            retracts: isAboutMovie ? "lead.A.19" : nil)
        let draft = EventDraft(try #require(alert.topic), id: alert.id, data: alert.json)
        let event = try await harness.database.write { [log = harness.log] in
            try log.append([draft], at: .now, in: $0)[0]
        }
        let read = try OutboundAlert(event)
        #expect(read.id == alert.id && read.body == event.body && read.data == alert)
    }

    @Test("an alert whose transaction is rolled back is not delivered")
    func undone() async throws {
        let harness = try await DeliveryHarness([recipient("all")])
        struct Undone: Error {}
        try await harness.alert("A")
        let (log, outbox) = (harness.log, harness.outbox)
        await #expect(throws: Undone.self) {
            try await harness.database.write { connection in
                let events = try log.events(of: .alert, after: .zero, limit: 1, in: connection).events
                try connection.execute("delete from delivery")
                try outbox.enqueue(events.map { try OutboundAlert($0) }, at: Date(), in: connection)
                throw Undone()
            }
        }
        #expect(try await harness.deliveries("all") == ["lead.A.20 waiting 0"])
    }

    @Test("a new sink gets no old alerts; the messages of a removed sink become dead letters")
    func comeAndGo() async throws {
        let harness = try await DeliveryHarness([recipient("old")])
        try await harness.alert("A")
        let next = try await DeliveryHarness([recipient("new")], after: harness)
        let (outbox, now) = (next.outbox, next.clock.date)
        try await next.database.write { try outbox.closeRemovedSinks(at: now, in: $0) }
        try await next.alert("B")
        #expect(try await next.deliveries("new") == ["lead.B.20 waiting 0"])
        #expect(try await next.deliveries("old") == ["lead.A.20 dead 0"])
        let revived = try await next.database.write { try outbox.requeue(sink: "old", in: $0) }
        #expect(revived == [:])

        let back = try await DeliveryHarness([recipient("old")], after: next)
        let other = back.outbox
        let again = try await back.database.write { try other.requeue(key: "lead.A.20", in: $0) }
        #expect(again == ["old": 1])
        #expect(try await back.deliveries("old") == ["lead.A.20 waiting 0"])
    }

    @Test("within a cooldown, a movie's next alert of the same rule is suppressed; another movie's or rule's is not")
    func cooldown() async throws {
        let harness = try await DeliveryHarness([recipient("editor") { $0.cooldown = .seconds(86_400) }])
        try await harness.alert("AB", rule: "rose", day: 20)
        harness.clock.advance(by: .seconds(86_399))
        try await harness.alert("A", rule: "rose", day: 21)
        try await harness.alert("A", rule: "fell", day: 21)
        harness.clock.advance(by: .seconds(1))
        try await harness.alert("B", rule: "rose", day: 22)
        #expect(
            try await harness.deliveries("editor") == [
                "rose.A.20 waiting 0", "rose.B.20 waiting 0", "rose.A.21 suppressed 0", "fell.A.21 waiting 0",
                "rose.B.22 waiting 0",
            ])
    }

    @Test("an alert that is retracted before it is sent is not sent, and neither is its retraction")
    func retracted() async throws {
        let harness = try await DeliveryHarness([recipient("editor") { $0.cooldown = .seconds(86_400) }])
        try await harness.alert("A")
        try await harness.alert("A", retracts: "lead.A.20")
        #expect(try await harness.deliveries("editor") == ["lead.A.20 retracted 0"])
        // And it is no reason to suppress the next one.
        try await harness.alert("A", day: 21)
        #expect(try await harness.deliveries("editor") == ["lead.A.20 retracted 0", "lead.A.21 waiting 0"])
    }

    @Test("a retraction goes exactly to the sinks that got the alert, whatever their filters are")
    func retraction() async throws {
        let (got, not) = (RecordingSink(), RecordingSink())
        var wants = ConfiguredSink("got", got)
        wants.rules = ["lead"]
        var wantsNot = ConfiguredSink("not", not)
        wantsNot.rules = ["rose"]
        let harness = try await DeliveryHarness([wants, wantsNot])
        try await harness.open {
            try await harness.alert("A")
            await got.receive(1)
            try await harness.alert("A", rule: "lead", retracts: "lead.A.20")
            await got.receive(1)
            try await harness.alert("B", rule: "rose")
            await not.receive(1)
        }
        #expect(got.keys == ["lead.A.20", "back.lead.A.20"])
        #expect(not.keys == ["rose.B.20"])
    }
}

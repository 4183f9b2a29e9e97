import BoxOffice
import EventStoreTestSupport
import FoundationEssentials
import Storage
import TestSupport
import Testing

@testable import Contract
@testable import EventStore

@Suite struct EventLogVerificationTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A log with two streams, an id of its own, and a request id that does its best to look like an attribute.
    private func filled() async throws -> EventLogFixture {
        let log = try await EventLogFixture(in: folder)
        let tricky = try #require(RequestID(#"","epoch":""# + log.log.epoch + #"","#))
        try await log.append(
            draft("movie.AAAAAAAA"), draft("movie.BBBBBBBB", id: "mine"), draft("poster.AAAAAAAA", for: tricky),
            EventDraft(.request(.done, tricky), correlationID: tricky, encoding: ["about": "done"]))
        return log
    }

    private func verify(_ log: EventLogFixture) async throws {
        try await log.database.read { try EventLog.verify($0) }
    }

    @Test("an unchanged log passes verification", .patience)
    func whole() async throws {
        let log = try await filled()
        await #expect(throws: Never.self) { try await verify(log) }
        await #expect(throws: Never.self) { try await verify(EventLogFixture(in: TemporaryFolder())) }
    }

    enum Change: CaseIterable {
        case body
        case topic
        case moved
        case gone
        case last
        case position
        case checksum
    }

    @Test(
        "a change that leaves the database structurally valid is detected", .patience,
        arguments: Change.allCases)
    func changed(_ change: Change) async throws {
        let log = try await filled()
        try await log.database.write { try $0.run(change) }
        let error = await #expect(throws: DatabaseError.self) { try await verify(log) }
        #expect(error?.kind == .corrupt)
        #expect(error?.description.contains(folder.file("events.db")) == true)
        await #expect(throws: DatabaseError.self) {
            try await log.database.read { _ = try EventLog(source: "/marquee/worker", in: $0) }
        }
    }

    @Test("the checksum is XXH3 of topic, zero byte and body")
    func xxh3() throws {
        let topic = try #require(Topic("movie.AAAAAAAA"))
        let event = LoggedEvent(topic: topic, sequence: try #require(SequenceNumber(1)), body: Array("{}".utf8))
        // printf 'movie.AAAAAAAA\0{}' | xxhsum -H3
        #expect(UInt(bitPattern: event.checksum) == 0xe036_33de_68f7_d555)
    }

    @Test("a new epoch has the same events in new envelopes and continues the sequences", .patience)
    func newEpoch() async throws {
        var log = try await filled()
        let before =
            try await log.page(of: .movie).events + log.page(of: .poster).events + log.page(of: .request).events
        let old = log.log.epoch
        let new = try await log.database.write { try EventLog.beginEpoch(in: $0) }
        #expect(new != old)
        log.log = try await log.database.read { try EventLog(source: "/marquee/worker", in: $0) }
        #expect(log.log.epoch == new)
        let after = try await log.page(of: .movie).events + log.page(of: .poster).events + log.page(of: .request).events
        for (before, after) in zip(before, after) {
            let (one, other) = (try Event(before), try Event(after))
            #expect(other.epoch == new)
            #expect(other.id == one.id)
            #expect(other.subject == one.subject)
            #expect(other.sequence == one.sequence)
            #expect(other.correlationID == one.correlationID)
            #expect(try other.data(as: [String: String].self) == one.data())
        }
        #expect(after.count == 4)
        let next = try await log.append(draft("movie.AAAAAAAA"))[0]
        #expect(next.sequence.value == 3)
        #expect(try Event(next).id == "\(new)/movie/0000000000000003")
        #expect(try Event(next).previous.value == 1)
    }

    @Test("the summary of a stream has its counts, its first and its last event", .patience)
    func summary() async throws {
        var log = try await filled()
        log.time += 60
        try await log.append(draft("movie.AAAAAAAA"))
        let summaries = try await log.database.read { [log = log.log] in try log.summaries(in: $0) }
        #expect(Set(summaries.keys) == [.movie, .poster, .request])
        let movie = try #require(summaries[.movie])
        #expect(movie.events == 3)
        #expect(movie.topics == 2)
        #expect(movie.oldest == .init(sequence: try #require(SequenceNumber(1)), time: "2026-11-21T06:23:00.123Z"))
        #expect(movie.newest == .init(sequence: try #require(SequenceNumber(3)), time: "2026-11-21T06:24:00.123Z"))
    }
}

extension Event {
    fileprivate init(_ event: LoggedEvent) throws {
        try self.init(topic: event.topic, body: event.body)
    }
}

extension Connection {
    /// SQL is a literal for each.
    fileprivate func run(_ change: EventLogVerificationTests.Change) throws {
        switch change {
        case .body:
            try execute(
                "update event set body = cast(replace(cast(body as text), 'AAAA', 'AAAB') as blob) where number = 1")
        case .topic: try execute("update event set topic = 'movie.CCCCCCCC' where number = 2")
        case .moved: try execute("update event set sequence = 7 where number = 2")
        case .gone: try execute("delete from event where number = 1 or number = 3")
        case .last: try execute("delete from event where number = 4")
        case .checksum: try execute("update event set checksum = checksum + 1 where number = 1")
        case .position: try execute("update event_topic set newest = 9 where stream = 'poster'")
        }
    }
}

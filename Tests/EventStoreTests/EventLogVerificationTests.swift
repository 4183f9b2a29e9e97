import BoxOffice
import EventStoreTestSupport
import FoundationEssentials
import SQLite
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

    /// How versions before XXH3 wrote checksums: FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/) of topic, zero, body.
    enum EarlierVersion: CaseIterable {
        case byBytes
        case byWords

        /// The migrations that the version knew.
        var migrations: Int { self == .byBytes ? 2 : 3 }

        func checksum(_ event: LoggedEvent) -> Int {
            let parts = [event.frames[0], [0], event.body]
            let value = parts.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
                self == .byBytes ? bytes($0, $1) : words($0, $1)
            }
            return Int(Int64(bitPattern: value))
        }

        private func bytes(_ start: UInt64, _ part: [UInt8]) -> UInt64 {
            part.reduce(start) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        }

        private func words(_ start: UInt64, _ part: [UInt8]) -> UInt64 {
            let whole = part.count / 8 * 8
            let value = stride(from: 0, to: whole, by: 8).reduce(start) { value, index in
                let word = part[index..<index + 8].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
                let product = (value ^ word) &* 0x100_0000_01b3
                return product ^ product >> 32
            }
            return bytes(value, Array(part[whole...]))
        }
    }

    /// The file of an earlier version, with two events and their checksums, as this version opens it.
    private func database(of version: EarlierVersion) async throws -> Database {
        let log = try await EventLogFixture(in: TemporaryFolder())
        let events = try await log.append(draft("movie.AAAAAAAA"), draft("movie.BBBBBBBB"))
        await log.database.close()
        let path = folder.file("events.db")
        let schema = Schema.Component(
            "events", migrations: Array(EventLog.schema.migrations.prefix(version.migrations)))
        let earlier = try Database(path: path, schema: Schema(schema))
        try await earlier.write { connection in
            for event in events {
                try connection.execute(
                    "insert into event (stream, sequence, topic, body, checksum) values ('movie', ?, ?, ?, ?)",
                    event.sequence, event.topic, event.body, version.checksum(event))
                try connection.execute(
                    "insert into event_topic (topic, stream, newest) values (?, 'movie', ?)", event.topic,
                    event.sequence)
            }
            try connection.execute("update event_epoch set epoch = ?", log.log.epoch)
        }
        await earlier.close()
        return try Database(path: path, schema: Schema(EventLog.schema))
    }

    @Test(
        "a log of an earlier version is migrated, and verified by the checksums it has", .patience,
        arguments: EarlierVersion.allCases)
    func earlierVersion(_ version: EarlierVersion) async throws {
        let database = try await database(of: version)
        let positions = try await database.read { connection in
            try EventLog(source: "/marquee/worker", in: connection).positions(in: connection)
        }
        #expect(positions == [.movie: try #require(SequenceNumber(2))])
        try await database.write { try $0.run(.body) }
        let error = await #expect(throws: DatabaseError.self) { try await database.read { try EventLog.verify($0) } }
        #expect(error?.kind == .corrupt)
        await database.close()
    }

    @Test(
        "a log of an earlier version gets XXH3 checksums for new events and for a new epoch", .patience,
        arguments: EarlierVersion.allCases)
    func newEventsOfEarlierVersion(_ version: EarlierVersion) async throws {
        @Sendable func kinds(_ connection: Connection) throws -> [Int] {
            try connection.query("select checksum_kind from event order by number", as: Int.self)
        }
        let database = try await database(of: version)
        try await database.write { connection in
            let log = try EventLog(source: "/marquee/worker", in: connection)
            _ = try log.append([draft("movie.CCCCCCCC")], at: .now, in: connection)
        }
        #expect(try await database.read { try kinds($0) } == [0, 0, 1])
        await #expect(throws: Never.self) { try await database.read { try EventLog.verify($0) } }
        try await database.write { _ = try EventLog.beginEpoch(in: $0) }
        #expect(try await database.read { try kinds($0) } == [1, 1, 1])
        await #expect(throws: Never.self) { try await database.read { try EventLog.verify($0) } }
        await database.close()
    }

    @Test(
        "a changed new event is refused even if its checksum is that of an earlier version or missing",
        .patience, arguments: [EarlierVersion.byBytes, .byWords, nil])
    func earlierChecksumOfNewEvent(_ version: EarlierVersion?) async throws {
        let log = try await EventLogFixture(in: folder)
        let event = try await log.append(draft("movie.AAAAAAAA"))[0]
        let body = Array(String(decoding: event.body, as: UTF8.self).replacing("AAAA", with: "AAAB").utf8)
        let changed = LoggedEvent(topic: event.topic, sequence: event.sequence, body: body)
        try await log.database.write {
            try $0.execute("update event set body = ?, checksum = ?", body, version?.checksum(changed))
        }
        let error = await #expect(throws: DatabaseError.self) { try await verify(log) }
        #expect(error?.kind == .corrupt)
        // The control: marked as an event of an earlier version, the same bytes pass.
        try await log.database.write { try $0.execute("update event set checksum_kind = 0") }
        await #expect(throws: Never.self) { try await verify(log) }
    }

    @Test("an XXH3 checksum does not pass as one of an earlier version or of no known kind", .patience)
    func changedKind() async throws {
        let log = try await EventLogFixture(in: folder)
        try await log.append(draft("movie.AAAAAAAA"))
        for kind in [0, 2, -1] {
            try await log.database.write { try $0.execute("update event set checksum_kind = ?", kind) }
            let error = await #expect(throws: DatabaseError.self) { try await verify(log) }
            #expect(error?.kind == .corrupt, "kind \(kind)")
        }
    }

    @Test("the checksum is XXH3 of topic, zero byte and body")
    func xxh3() throws {
        let topic = try #require(Topic("movie.AAAAAAAA"))
        let event = LoggedEvent(topic: topic, sequence: try #require(SequenceNumber(1)), body: Array("{}".utf8))
        // printf 'movie.AAAAAAAA\0{}' | xxhsum -H3
        #expect(Checksum(of: event).value == 0xe036_33de_68f7_d555)
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
        case .position: try execute("update event_topic set newest = 9 where stream = 'poster'")
        }
    }
}

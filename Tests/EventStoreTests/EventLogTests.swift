import EventStoreTestSupport
import FoundationEssentials
import Storage
import TestSupport
import Testing

@testable import Contract
@testable import EventStore

@Suite(.patience) struct EventLogTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    func numbers(_ events: [LoggedEvent]) -> [UInt64] {
        events.map(\.sequence.value)
    }

    @Test("each stream counts from 1, and each event has the sequence of the previous one with its topic")
    func sequences() async throws {
        let log = try await EventLogFixture(in: folder)
        let events = try await log.append(
            draft("movie.AAAAAAAA"), draft("poster.AAAAAAAA"), draft("movie.BBBBBBBB"), draft("movie.AAAAAAAA"),
            draft("movie.AAAAAAAA"), draft("movie.BBBBBBBB"))
        #expect(numbers(events) == [1, 1, 2, 3, 4, 5])
        let previous = try events.map { try Event(topic: $0.topic, body: $0.body).previous.value }
        #expect(previous == [0, 0, 0, 1, 3, 2])
        #expect(
            try await log.positions() == [.movie: #require(SequenceNumber(5)), .poster: #require(SequenceNumber(1))])
    }

    @Test("a hundred concurrent writers get sequences without gaps or repeats; rejected ones get none")
    func contiguous() async throws {
        struct Refusal: Error {}
        let log = try await EventLogFixture(in: folder)
        let events = try await withThrowingTaskGroup(of: LoggedEvent?.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let draft = try draft("request.done.\(number)")
                    return try? await log.database.write { [log = log.log, time = log.time] in
                        let event = try log.append([draft], at: time, in: $0)[0]
                        if number.isMultiple(of: 5) { throw Refusal() }
                        return event
                    }
                }
            }
            return try await group.compactMap(\.self).reduce(into: [LoggedEvent]()) { $0.append($1) }
        }
        #expect(numbers(events).sorted() == Array(1...80))
        let logged = try await log.page(of: .request).events
        #expect(numbers(logged) == Array(1...80))
        #expect(Set(logged) == Set(events))
    }

    @Test("each database has one epoch of its own")
    func epoch() async throws {
        let log = try await EventLogFixture(in: folder)
        #expect(UUID(uuidString: log.log.epoch)?.uuidString.lowercased() == log.log.epoch)
        try await log.append(draft("movie.AAAAAAAA"))
        await log.database.close()
        let again = try await EventLogFixture(in: folder)
        #expect(again.log.epoch == log.log.epoch)
        #expect(try await numbers(again.append(draft("movie.AAAAAAAA"))) == [2])
        #expect(try await EventLogFixture(in: TemporaryFolder()).log.epoch != log.log.epoch)
    }

    @Test("stored events equal the returned ones byte for byte")
    func storedBytes() async throws {
        let log = try await EventLogFixture(in: folder)
        let events = try await log.append(draft("movie.AAAAAAAA"), draft("movie.BBBBBBBB"))
        #expect(try await log.page(of: .movie).events == events)
        #expect(try await log.latest() == events)
    }

    @Test("a draft whose id is in the log is not written again")
    func knownID() async throws {
        let log = try await EventLogFixture(in: folder)
        let alert = try draft("alert.rose.AAAAAAAA.2024-06-04", id: "rose/AAAAAAAA/2024-06-04/all")
        let first = try await log.append(alert)
        let second = try await log.append([draft("alert.fell.BBBBBBBB.2024-06-04", id: "other"), alert, alert])
        #expect(numbers(second) == [2, 1, 1])
        #expect(second[1] == first[0])
        #expect(try await numbers(log.page(of: .alert).events) == [1, 2])
        let found = try await log.database.read { [log = log.log] in try log.event(id: "other", in: $0) }
        #expect(found == second[0])
        let missing = try await log.database.read { [log = log.log] in try log.event(id: "missing", in: $0) }
        #expect(missing == nil)
        // Who publishes or delivers what is new must not do it again.
        let news = try await log.database.write { [log = log.log, time = log.time] in
            try log.appendEach(of: [alert, draft("alert.left.CCCCCCCC.2024-06-04", id: "new")], at: time, in: $0)
        }
        #expect(news.map(\.isNew) == [false, true])
        // The next one names the new one as the event before, though it was numbered beside one that is not.
        let next = try await log.append(draft("alert.left.CCCCCCCC.2024-06-04", id: "newer"))[0]
        #expect(numbers([next]) == [4])
        #expect(try Event(topic: next.topic, body: next.body).previous == news[1].event.sequence)
    }

    @Test("an id that another topic has is rejected, and nothing of that write is in the log")
    func foreignID() async throws {
        let log = try await EventLogFixture(in: folder)
        try await log.append(draft("movie.AAAAAAAA", id: "one"))
        await #expect { try await log.append(draft("movie.CCCCCCCC"), draft("movie.BBBBBBBB", id: "one")) } throws: {
            ($0 as? DatabaseError)?.kind == .constraint
        }
        #expect(try await numbers(log.append(draft("movie.BBBBBBBB"))) == [2])
        #expect(try await log.latest("movie.CCCCCCCC").isEmpty)
    }

    @Test(
        "pages follow one another without a gap, and each states whether more events follow",
        arguments: [1, 3, 7, 10, 11])
    func pages(limit: Int) async throws {
        let log = try await EventLogFixture(in: folder)
        try await log.append((1...10).map { try draft("request.done.\($0)") })
        var seen: [LoggedEvent] = []
        var after = SequenceNumber.zero
        while true {
            let page = try await log.page(of: .request, after: after, limit: limit)
            #expect(page.events.count == min(limit, 10 - seen.count))
            seen += page.events
            after = page.position
            guard page.more else { break }
        }
        #expect(numbers(seen) == Array(1...10))
        #expect(after.value == 10)
    }

    @Test("an empty stream and a sequence beyond the end return an empty page")
    func emptyPages() async throws {
        let log = try await EventLogFixture(in: folder)
        #expect(try await log.page(of: .ranking).position == .zero)
        try await log.append(draft("movie.AAAAAAAA"))
        let beyond = try #require(SequenceNumber(99))
        let page = try await log.page(of: .movie, after: beyond)
        #expect(page.events == [])
        #expect(page.position == beyond)
        #expect(!page.more)
    }

    @Test("a page of a prefix has only the prefix's events and scans to the end of the stream")
    func prefixPage() async throws {
        let log = try await EventLogFixture(in: folder)
        try await log.append((1...30).map { try draft("request.\($0 % 3 == 0 ? "failed" : "done").\($0)") })
        let page = try await log.page(of: .request, prefix: "request.failed.", limit: 4)
        #expect(numbers(page.events) == [3, 6, 9, 12])
        #expect(page.position.value == 12)
        #expect(page.more)
        let rest = try await log.page(of: .request, after: page.position, prefix: "request.failed.", limit: 9)
        #expect(numbers(rest.events) == [15, 18, 21, 24, 27, 30])
        #expect(rest.position.value == 30)
        #expect(!rest.more)
        #expect(try await log.page(of: .request, prefix: "request.none").position.value == 30)
    }

    @Test("a page of a rare prefix ends at the scan limit, and the next one continues from there")
    func reach() async throws {
        var log = try await EventLogFixture(in: folder)
        log.log.pageScanLimit = 10
        try await log.append((1...25).map { try draft("request.\($0 == 21 ? "failed" : "done").\($0)") })
        var pages: [EventLog.Page] = []
        repeat {
            try await pages.append(
                log.page(of: .request, after: pages.last?.position ?? .zero, prefix: "request.failed."))
        } while pages.last?.more == true
        #expect(pages.map(\.position.value) == [10, 20, 25])
        #expect(pages.map { numbers($0.events) } == [[], [], [21]])
    }

    @Test(
        "a prefix is compared byte by byte: no wildcards, no case, no end before the last character",
        arguments: [
            ("request.done.%", ["request.done.%"]),
            ("request.done.a_", ["request.done.a_", "request.done.a_b"]),
            ("request.done.A", ["request.done.Ab"]),
            ("request.done.~", ["request.done.~", "request.done.~~"]),
            ("request.done.[a-z]*", []),
            ("request.done.é", []),
            ("request.done.\u{0}", []),
            ("request.done.a", ["request.done.a_", "request.done.a_b", "request.done.ab", "request.done.axb"]),
        ])
    func prefixes(prefix: String, expected: [String]) async throws {
        let log = try await EventLogFixture(in: folder)
        let ids = ["%", "a_", "a_b", "axb", "ab", "Ab", "~", "~~", "!"]
        try await log.append(ids.map { try draft("request.done.\($0)") })
        #expect(try await log.latest(prefix).map(\.topic.description) == expected)
        #expect(try await log.page(of: .request, prefix: prefix).events.map(\.topic.description).sorted() == expected)
    }

    @Test("latest returns the newest event of each topic, in the order of topics")
    func latest() async throws {
        let log = try await EventLogFixture(in: folder)
        let events = try await log.append(
            draft("movie.BBBBBBBB"), draft("movie.AAAAAAAA"), draft("poster.AAAAAAAA"), draft("movie.BBBBBBBB"))
        #expect(try await log.latest("movie.") == [events[1], events[3]])
        #expect(try await log.latest() == [events[1], events[3], events[2]])
        #expect(try await log.latest(limit: 1) == [events[1]])
        let one = try await log.database.read { [log = log.log] in try log.latest(events[0].topic, in: $0) }
        #expect(one == events[3])
        let none = try await log.database.read { [log = log.log] in
            try log.latest(#require(Topic("movie.CCCCCCCC")), in: $0)
        }
        #expect(none == nil)
    }
}

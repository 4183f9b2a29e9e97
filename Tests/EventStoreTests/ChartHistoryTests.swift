import BoxOffice
import Contract
import EventStoreTestSupport
import FoundationEssentials
import JSONCoding
import Storage
import TestSupport
import Testing

@testable import EventStore

/// What a log tells of its charts afterwards.
@Suite(.patience) struct ChartHistoryTests {
    private let folder: TemporaryFolder
    private let june = KoreanDate(dayNumber: 19_875)  // 2024-06-01

    init() throws {
        folder = try TemporaryFolder()
    }

    private func movie(_ number: Int) throws -> MovieCode {
        try #require(MovieCode("2024000\(number)"))
    }

    /// A chart of movies with so many admissions, in this order.
    private func chart(
        _ date: KoreanDate, _ movies: [(number: Int, audience: Int)], in market: Market = .all
    ) throws -> Chart {
        let entries = try movies.enumerated().map { index, movie in
            var entry = ChartEntry(
                line: index + 1, rank: index + 1, rankChange: 0, isNew: false, movieCode: try self.movie(movie.number),
                title: "영화 \(movie.number)")
            entry.audience = movie.audience
            return entry
        }
        return Chart(date: date, market: market, state: .provisional, entries: entries)
    }

    private func draft(_ chart: Chart) throws -> EventDraft {
        EventDraft(.ranking(day: chart.date, market: chart.market), data: chart.json)
    }

    private func history<Value: Sendable>(
        of log: EventLogFixture, _ body: @escaping @Sendable (ChartHistory) throws -> Value
    ) async throws -> Value {
        try await log.database.read { [log = log.log] in try body(ChartHistory(log: log, connection: $0)) }
    }

    @Test("every revision of a day is kept, with its day and the time at which it was recorded")
    func revisions() async throws {
        var log = try await EventLogFixture(in: folder)
        let first = try chart(june, [(1, 100), (2, 50)])
        let second = try #require(try chart(june, [(1, 98), (2, 50)]).revised(from: first))
        let learnt = [log.time, log.time + 3_600]
        try await log.append(draft(first), draft(chart(june + 1, [(1, 70)])))
        log.time = learnt[1]
        try await log.append(draft(second), draft(chart(june, [(1, 9)], in: Market(nation: .korean))))
        let day = june
        let revisions = try await history(of: log) { try $0.revisions(of: .ranking(day: day, market: .all)) }
        #expect(revisions.map(\.chart) == [first, second])
        #expect(revisions.map { $0.event.sequence.value } == [1, 3])
        #expect(zip(revisions, learnt).allSatisfy { abs($0.recordedAt.timeIntervalSince($1)) < 0.001 })
        #expect(try await history(of: log) { try $0.revisions(of: .ranking(day: day + 2, market: .all)) }.isEmpty)
    }

    @Test("a movie's days are the days of one market whose newest revision has the movie")
    func movie() async throws {
        let log = try await EventLogFixture(in: folder)
        let two = try movie(2)
        let first = try chart(june + 1, [(1, 100), (2, 50)])
        // A correction takes the movie out of a chart, and still names it.
        let second = try #require(try chart(june + 1, [(1, 100), (3, 60)]).revised(from: first))
        let week = Week(of: june, span: .week)
        let weekly = WeekChart(
            week: week, yearWeek: nil, market: .all, state: .settled, entries: try chart(june, [(2, 999)]).entries)
        try await log.append(
            draft(chart(june + 3, [(2, 30)])), draft(chart(june, [(1, 90), (2, 40)])), draft(first), draft(second),
            draft(chart(june + 2, [(1, 80)])), draft(chart(june + 2, [(2, 5)], in: Market(films: .diverse))),
            EventDraft(.weekRanking(week, market: .all), data: weekly.json))
        let days = try await history(of: log) { try $0.days(of: two, in: .all) }
        #expect(days.map(\.date) == [june, june + 3])
        #expect(days.map(\.entry.audience) == [40, 30])
        #expect(days.map(\.entry.line) == [2, 1])
        let diverse = try await history(of: log) { try $0.days(of: two, in: Market(films: .diverse)) }
        #expect(diverse.map(\.date) == [june + 2])
    }

    @Test("a chart that cannot be read is left out and named, and the others are returned")
    func unreadable() async throws {
        let log = try await EventLogFixture(in: folder)
        func broken(_ date: KoreanDate) throws -> EventDraft {
            let chart = try chart(date, [(1, 7)])
            let data = String(decoding: chart.json, as: UTF8.self).replacing("\"rank\":1", with: "\"rank\":\"one\"")
            return EventDraft(.ranking(day: date, market: .all), data: Array(data.utf8))
        }
        try await log.append(
            draft(chart(june, [(1, 5)])), broken(june), broken(june + 1), draft(chart(june + 2, [(1, 6)])))
        let (day, one) = (june, try movie(1))
        let (revisions, days, unreadable) = try await log.database.read { [log = log.log] connection in
            var unreadable: [UInt64] = []
            let history = ChartHistory(log: log, connection: connection) { event, _ in
                unreadable.append(event.sequence.value)
            }
            let revisions = try history.revisions(of: .ranking(day: day, market: .all))
            return (revisions.count, try history.days(of: one, in: .all).map(\.date), unreadable)
        }
        #expect(revisions == 1)
        #expect(days == [june + 2])
        #expect(unreadable == [2, 2, 3])
    }

    @Test("the newest revision of each day in a period is returned in the order of days")
    func period() async throws {
        let log = try await EventLogFixture(in: folder)
        for offset in [5, 0, 3, 1, 900] { try await log.append(draft(chart(june + offset, [(1, offset)]))) }
        let corrected = try #require(try chart(june + 3, [(1, 4)]).revised(from: chart(june + 3, [(1, 3)])))
        try await log.append(draft(corrected), draft(chart(june + 2, [(1, 2)], in: Market(nation: .foreign))))
        let day = june
        func days(_ first: KoreanDate, _ last: KoreanDate) async throws -> [Int?] {
            try await history(of: log) { history in
                var audiences: [Int?] = []
                try history.forEachDay(from: first, through: last, in: .all) { event in
                    audiences.append(try ChartRevision(event).chart.entries[0].audience)
                }
                return audiences
            }
        }
        #expect(try await days(day, day + 5) == [0, 1, 4, 5])
        #expect(try await days(day + 1, day + 3) == [1, 4])
        #expect(try await days(day + 6, day + 2_000) == [900])
        #expect(try await days(day - 9, day - 1).isEmpty)
    }
}

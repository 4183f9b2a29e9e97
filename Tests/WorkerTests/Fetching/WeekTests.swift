import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import Storage
import TestSupport
import Testing

@testable import Worker

/// A week's chart, from the request to its event; noon of the harness is a Wednesday's.
@Suite(.patience) struct WeekTests {
    /// The last weekend before the harness's day, provisional until Thursday.
    private let weekend = Week(of: Sample.date("2024-06-01"), span: .weekend)

    private func answer(_ audience: Int) -> String {
        let line = #"{"rnum":"1","movieCd":"20240001","movieNm":"첫눈","audiCnt":"\#(audience)","audiChange":"-54.0"}"#
        return #"{"boxOfficeResult":{"showRange":"20240531~20240602","yearWeekTime":"202422","#
            + #""weeklyBoxOfficeList":[\#(line)]}}"#
    }

    /// Asks so often, days apart, and returns how often the upstream was asked and the charts that were logged.
    private func charts(daysApart days: [Int], refresh: Bool = false) async throws -> (calls: Int, charts: [WeekChart])
    {
        let harness = try await WorkerHarness()
        let server = try ScriptedServer { $0.answer(answer(10)) }
        let fetcher = harness.fetcher(kobis: server.url)
        for (index, day) in days.enumerated() {
            let now = WorkerHarness.noon + Double(day) * 86_400
            harness.setClock(to: now)
            let accepted = try await harness.accept(Request(.week(weekend, .all), refresh: refresh), as: "r\(index)")
            let result = try await fetcher.result(for: accepted.request, asOf: now)
            try await harness.settle(accepted, with: result, askedAt: now)
        }
        let topic = Topic.weekRanking(weekend, market: .all)
        let logged = try await harness.database.read { connection in
            try harness.store.log.events(
                of: .ranking, after: .zero, prefix: topic.description, limit: 500, in: connection
            ).events
        }
        return (server.requests.count, try logged.map { try $0.data() })
    }

    @Test("a week is published with its days, its number and the state of its last day, and settles by itself")
    func states() async throws {
        let (calls, charts) = try await charts(daysApart: [0, 0, 1, 30])
        #expect(calls == 2)
        #expect(charts.map(\.chart.state) == [.provisional, .settled])
        #expect(charts.map(\.chart.revision) == [1, 2])
        #expect(charts[1].chart.corrections == [])
        #expect(charts[0].week == weekend && charts[0].yearWeek == "202422")
        #expect(charts[0].chart.entries[0].audienceChange == Percent(tenths: -540))
    }

    @Test("equal figures publish no second event, however often a refresh is requested")
    func refresh() async throws {
        let (calls, charts) = try await charts(daysApart: [2, 2, 3], refresh: true)
        #expect(calls == 3)
        #expect(charts.map(\.chart.revision) == [1])
    }

    @Test(
        "a week that is not over is not published yet, and costs no call", arguments: [Week.Span.week, .weekend])
    func notOver(span: Week.Span) async throws {
        let harness = try await WorkerHarness()
        let server = try ScriptedServer { $0.answer(answer(10)) }
        let week = Week(of: Sample.date("2024-06-03"), span: span)
        let failure = try await #require(throws: ContractError.self) {
            try await harness.fetcher(kobis: server.url).result(
                for: Request(.week(week, .all)), asOf: WorkerHarness.noon)
        }
        #expect(failure.code == .notPublished)
        // From Wednesday noon to the end of Sunday.
        #expect(failure.retryAfter == 4 * 86_400 + 43_200)
        #expect(server.requests.isEmpty)
    }
}

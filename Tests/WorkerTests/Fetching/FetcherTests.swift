import BoxOffice
import Contract
import FoundationEssentials
import Networking
import TestSupport
import Testing

@testable import Worker

/// What is served from the log, and what an upstream is asked for, over real HTTP.
@Suite(.patience) struct FetcherTests {
    /// What a chart request does after another one `age` seconds before.
    private struct Case: CustomStringConvertible {
        var what: String
        var state = Chart.State.provisional
        var age: TimeInterval = 60
        var daysLater = 0
        var refresh = false
        let asks: Bool

        var description: String { what }
    }

    @Test(
        "a chart is served from the log while it is settled or fresh",
        arguments: [
            Case(what: "confirmed a minute ago", asks: false),
            Case(what: "confirmed just under ten minutes ago", age: 599, asks: false),
            Case(what: "confirmed ten minutes ago", age: 600, asks: true),
            Case(what: "wanted afresh", refresh: true, asks: true),
            Case(what: "settled", state: .settled, age: 90 * 86_400, asks: false),
            Case(what: "settled and wanted afresh", state: .settled, refresh: true, asks: true),
            Case(what: "confirmed before its day settled", age: 60, daysLater: 3, asks: true),
            Case(what: "confirmed by a clock that was ahead", age: -3600, asks: true),
        ])
    private func freshness(_ example: Case) async throws {
        let harness = try await WorkerHarness()
        let server = try ScriptedServer { $0.answer(Sample.answer(10)) }
        let fetcher = harness.fetcher(kobis: server.url)
        let now = WorkerHarness.noon + Double(example.daysLater) * 86_400
        let accepted = try await harness.accept(Sample.chart, as: "first")
        let askedAt = now - example.age
        harness.setClock(to: askedAt)
        try await harness.settle(accepted, with: Sample.result(10, example.state), askedAt: askedAt)
        let result = try await fetcher.result(
            for: Request(.day(Sample.day, .all), refresh: example.refresh), asOf: now)
        #expect(server.requests.count == (example.asks ? 1 : 0))
        #expect(result.source == (example.asks ? .upstream : .log))
        #expect(result.logged.count == (example.asks ? 0 : 1))
    }

    @Test("each market has its own chart")
    func markets() async throws {
        let harness = try await WorkerHarness()
        let server = try ScriptedServer { $0.answer(Sample.answer(10)) }
        let accepted = try await harness.accept(Sample.chart, as: "first")
        try await harness.settle(accepted, with: Sample.result(10), askedAt: WorkerHarness.noon)
        let request = Request(.day(Sample.day, Market(nation: .korean)))
        let result = try await harness.fetcher(kobis: server.url).result(for: request, asOf: WorkerHarness.noon)
        #expect(result.source == .upstream)
        #expect(server.requests.count == 1)
    }

    @Test("without a key, a chart and a movie fail as unauthorized and say which variable to set")
    func noKey() async throws {
        let harness = try await WorkerHarness()
        for request in [Sample.chart, Request(.movie(Sample.code("20240001"), poster: true))] {
            let failure = try await #require(throws: ContractError.self) {
                try await harness.fetcher().result(for: request, asOf: WorkerHarness.noon)
            }
            #expect(failure.code == .unauthorized)
            #expect(failure.message.contains("MARQUEE_KOBIS_KEY"))
            #expect(failure.upstream?.service == "kobis")
        }
    }

    @Test("a poster that cannot be fetched is a problem of the movie's outcome, which names only called upstreams")
    func posterProblems() async throws {
        let harness = try await WorkerHarness()
        let kobis = try ScriptedServer { $0.answer(Self.movie) }
        let kakao = try ScriptedServer { $0.answer(status: 401) }
        let request = Request(.movie(Sample.code("20240001"), poster: true))

        let refused = try await harness.fetcher(kobis: kobis.url, kakao: kakao.url).result(
            for: request, asOf: WorkerHarness.noon)
        #expect(refused.fetched.count == 1)
        #expect(refused.problems.map(\.code) == [.unauthorized])
        #expect(refused.problems[0].upstream?.service == "kakao")
        let accepted = try await harness.accept(request, as: "a")
        try await harness.settle(accepted, with: refused, askedAt: WorkerHarness.noon)

        let keyless = try await harness.fetcher(kobis: kobis.url).result(for: request, asOf: WorkerHarness.noon)
        #expect(keyless.problems.map(\.code) == [.unauthorized])
        #expect(keyless.problems[0].message.contains("MARQUEE_KAKAO_KEY"))
        #expect(keyless.source == .log)
        #expect(kobis.requests.count == 1)

        let again = try await harness.fetcher(kobis: kobis.url, kakao: kakao.url).result(
            for: request, asOf: WorkerHarness.noon)
        #expect(again.source == .upstream)
        #expect(kobis.requests.count == 1)
        #expect(kakao.requests.count == 2)
    }

    private static let movie =
        #"{"movieInfoResult":{"movieInfo":{"movieCd":"20240001","movieNm":"첫눈"},"source":"영화진흥위원회"}}"#
}

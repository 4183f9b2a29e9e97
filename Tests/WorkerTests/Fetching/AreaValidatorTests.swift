import BoxOffice
import Contract
import FoundationEssentials
import TestSupport
import Testing

@testable import Worker

/// What a code costs that may be an area's, over real HTTP.
@Suite(.patience) struct AreaValidatorTests {
    private static let codes = #"{"codes":[{"fullCd":"0105001","korNm":"서울시"},{"fullCd":"0105018","korNm":"새 도시"}]}"#

    private func area(_ code: String) throws -> Market {
        let area: Market.Area = try #require(Market.Area(code))
        return Market(area: area)
    }

    /// Asks for a day's charts of areas, one after the other on the harness's day and `daysLater`, and returns the calls
    /// for the list, those for charts, and the failures.
    private func ask(
        _ codes: [String], list: String = codes, daysLater: Int = 0
    ) async throws -> (lists: Int, charts: Int, failures: [ContractError?]) {
        let harness = try await WorkerHarness()
        let server = try ScriptedServer { exchange in
            exchange.answer(exchange.request.isForAreas ? list : Sample.answer(10))
        }
        let fetcher = harness.fetcher(kobis: server.url)
        var failures: [ContractError?] = []
        for (index, code) in codes.enumerated() {
            let now = WorkerHarness.noon + Double(index * daysLater) * 86_400
            do {
                _ = try await fetcher.result(for: Request(.day(Sample.day, try area(code))), asOf: now)
                failures.append(nil)
            } catch {
                failures.append(try #require(error as? ContractError))
            }
        }
        let lists = server.requests.count { $0.isForAreas }
        return (lists, server.requests.count - lists, failures)
    }

    @Test("a built-in area costs no call but the chart's")
    func known() async throws {
        let (lists, charts, failures) = try await ask(["0105001", "0105017"])
        #expect(lists == 0 && charts == 2)
        #expect(failures == [nil, nil])
    }

    @Test("a code that the council's list lacks is a bad request; the list is asked for once a day")
    func unknown() async throws {
        let (lists, charts, failures) = try await ask(["0105099", "0105018", "0105098"])
        #expect(lists == 1 && charts == 1)
        #expect(failures.map { $0?.code } == [.badRequest, nil, .badRequest])
        #expect(failures[0]?.field == "area")
        #expect(try await ask(["0105099", "0105099"], daysLater: 1).lists == 2)
    }

    @Test("an entry of the council's list that cannot be read is left out, and the others count")
    func unreadable() async throws {
        let list = #"{"codes":[{"fullCd":["0105097"],"korNm":"?"},{"fullCd":"0105018","korNm":{}}]}"#
        #expect(try await ask(["0105018", "0105099"], list: list).failures.map { $0?.code } == [nil, .badRequest])
    }

    @Test("without the council's list, the chart is requested", arguments: [#"{"codes":[]}"#, "{}", ""])
    func uncertain(list: String) async throws {
        let (_, charts, failures) = try await ask(["0105099"], list: list)
        #expect(charts == 1)
        #expect(failures == [nil])
    }
}

extension ScriptedServer.Request {
    fileprivate var isForAreas: Bool { target.contains("searchCodeList") }
}

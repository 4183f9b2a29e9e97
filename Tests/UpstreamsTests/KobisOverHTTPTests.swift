import BoxOffice
import Networking
import TestSupport
import Testing
import WebServer

@testable import Upstreams

/// The endpoints on the real client and a real server.
@Suite(.patience) struct KobisOverHTTPTests {
    @Test func aChartOfTheRequestedDayAndMarketIsReturned() async throws {
        let market = Market(nation: .korean, films: .diverse, area: Market.Area("0105001"))
        let answer: HTTPServer.Handler = { request in
            let isRight =
                request.path == "/rest/boxoffice/searchDailyBoxOfficeList.json" && request.query("key") == "0123abcd"
                && request.query("targetDt") == "20240604" && request.query("repNationCd") == "K"
                && request.query("multiMovieYn") == "Y" && request.query("wideAreaCd") == "0105001"
            guard isRight else { return .text("\(request)", status: 400) }
            let line = #"{"rnum":"1","rank":"1","movieCd":"20240001","movieNm":"첫눈","audiCnt":"12"}"#
            return .json(Array(#"{"boxOfficeResult":{"dailyBoxOfficeList":[\#(line)]}}"#.utf8))
        }
        let entries = try await send(answer) { $0.dailyChart(Sample.date("2024-06-04"), market: market) }.value
        #expect(entries.map(\.title) == ["첫눈"])
        #expect(entries.map(\.audience) == [12])
    }

    @Test func aKeyInAnErrorMessageIsRedacted() async throws {
        let answer: HTTPServer.Handler = { request in
            let key = request.query("key") ?? ""
            return .json(Array(#"{"faultInfo":{"message":"\#(key)?","errorCode":"320010"}}"#.utf8))
        }
        let error = await #expect(throws: UpstreamError.self) {
            try await send(answer) { $0.movie(Sample.code("20240001")) }
        }
        #expect(error?.kind == .unauthorized)
        #expect(error.map { "\($0)".contains("0123abcd") } == false)
    }

    private func send<Value: Sendable>(
        _ answer: @escaping HTTPServer.Handler, _ endpoint: (Kobis) -> APICall<Value>
    ) async throws -> Value {
        let server = try HTTPServer(address: "127.0.0.1:0", handler: answer)
        let client = HTTPClient(retry: RetryPolicy(attempts: 1, attemptTimeout: .seconds(3_600)))
        let question = endpoint(Kobis(url: "http://\(server.address)/rest", key: "0123abcd"))
        let outcome: Result<Value, UpstreamError>
        do {
            outcome = .success(try await client.send(question))
        } catch {
            outcome = .failure(error)
        }
        await client.shutdown()
        await server.shutdown(grace: .zero)
        return try outcome.get()
    }
}

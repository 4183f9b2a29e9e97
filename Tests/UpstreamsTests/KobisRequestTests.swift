import BoxOffice
import Networking
import Testing

@testable import Upstreams

@Suite struct KobisRequestTests {
    private func items(_ request: HTTPRequest) -> [String] {
        request.query.filter { !$0.isSecret }.map { "\($0.name)=\($0.value)" }
    }

    @Test(arguments: [
        (Market.all, []),
        (Market(nation: .korean), ["repNationCd=K"]),
        (Market(nation: .foreign), ["repNationCd=F"]),
        (Market(films: .diverse), ["multiMovieYn=Y"]),
        (Market(films: .commercial), ["multiMovieYn=N"]),
        (
            Market(nation: .korean, films: .diverse, area: Market.Area("0105001")),
            ["repNationCd=K", "multiMovieYn=Y", "wideAreaCd=0105001"]
        ),
    ])
    func aChartIsRequestedByDayAndMarket(market: Market, filters: [String]) {
        let request = Sample.kobis.dailyChart(Sample.date("2024-06-04"), market: market).request
        #expect(request.url == "http://127.0.0.1:9/rest/boxoffice/searchDailyBoxOfficeList.json")
        #expect(items(request) == ["targetDt=20240604"] + filters)
    }

    @Test func aMovieIsRequestedByItsCode() {
        let request = Sample.kobis.movie(Sample.code("2022B512")).request
        #expect(request.url == "http://127.0.0.1:9/rest/movie/searchMovieInfo.json")
        #expect(items(request) == ["movieCd=2022B512"])
    }

    @Test func theKeyIsSentAndNeverShown() {
        let kobis = Sample.kobis.movie(Sample.code("2022B512")).request
        #expect(kobis.query.contains { $0.name == "key" && $0.value == "0123456789abcdef" })
        #expect(!"\(kobis)".contains("0123456789abcdef"))
        let kakao = Sample.kakao.images(query: "첫눈 영화 포스터").request
        #expect(kakao.headers.contains { $0.name == "Authorization" && $0.value == "KakaoAK fedcba9876543210" })
        #expect(!"\(kakao)".contains("fedcba9876543210"))
        #expect(kakao.url == "http://127.0.0.1:9/v2/search/image")
        #expect(items(kakao) == ["query=첫눈 영화 포스터", "size=30"])
    }
}

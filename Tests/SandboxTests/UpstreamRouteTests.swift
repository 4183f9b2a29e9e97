import BoxOffice
import Foundation
import TestSupport
import Testing
import WebServer

@testable import Sandbox

/// A sandbox on a Wednesday at noon in Korea.
private func makeSandbox(_ change: (inout SandboxOptions) throws -> Void = { _ in }) throws -> SandboxRouter {
    var options = SandboxOptions()
    try change(&options)
    return try SandboxRouter(options: options, now: { Date(timeIntervalSince1970: 1_717_556_400) })  // 2024-06-05 12:00
}

extension WebRequest {
    fileprivate static func kobis(_ call: String, _ query: (String, String)...) -> WebRequest {
        WebRequest(
            path: "/kobisopenapi/webservice/rest/\(call).json",
            query: [("key", SandboxOptions.anyKobisKey)] + query.map { (name: $0.0, value: $0.1) })
    }

    fileprivate static func daily(_ date: String, _ query: (String, String)...) -> WebRequest {
        var request = kobis("boxoffice/searchDailyBoxOfficeList", ("targetDt", date))
        request.query += query.map { (name: $0.0, value: $0.1) }
        return request
    }

    fileprivate static func kakao(_ query: (String, String)...) -> WebRequest {
        WebRequest(
            path: "/v2/search/image", query: query.map { (name: $0.0, value: $0.1) },
            headers: [("Authorization", "KakaoAK some-key")])
    }

    fileprivate func with(key: String?) -> WebRequest {
        var request = self
        request.query.removeAll { $0.name == "key" }
        if let key { request.query.append(("key", key)) }
        return request
    }

    fileprivate func with(authorization: String?) -> WebRequest {
        var request = self
        request.headers = authorization.map { [("Authorization", $0)] } ?? []
        return request
    }
}

extension WebResponse {
    fileprivate var text: String {
        switch body {
        case .bytes(let bytes), .truncated(let bytes, _): String(decoding: bytes, as: UTF8.self)
        case .shared(let shared): String(decoding: shared.bytes, as: UTF8.self)
        case .streaming: ""
        }
    }

    fileprivate func json() throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    fileprivate func lines() throws -> [[String: String]] {
        let result = try #require(try json()["boxOfficeResult"] as? [String: Any])
        let list = result["dailyBoxOfficeList"] ?? result["weeklyBoxOfficeList"]
        return try #require(list as? [[String: String]])
    }
}

struct KobisTests {
    @Test(
        "KOBIS errors equal the recorded ones and have status 200",
        arguments: [
            (WebRequest.daily("20240604").with(key: nil), "320010"),
            (WebRequest.daily("20240604").with(key: "not a key"), "320010"),
            (WebRequest.kobis("boxoffice/searchDailyBoxOfficeList"), "320102"),
            (WebRequest.daily("2025"), "320103"),
        ])
    func errors(request: WebRequest, code: String) async throws {
        let response = try await makeSandbox().respond(to: request)
        #expect(response.status == 200)
        #expect(response.text.contains("\"errorCode\":\"\(code)\""))
        let recorded = String(decoding: try Recorded.data("kobis/fault/\(code).json"), as: UTF8.self)
        #expect(response.text == recorded.trimmingCharacters(in: .newlines))
    }

    @Test("an exhausted quota returns the recorded error until the next day")
    func quota() async throws {
        let sandbox = try makeSandbox { try $0.faults.set("kobis.quota=2") }
        let texts = [
            await sandbox.respond(to: .daily("20240604")).text,
            await sandbox.respond(to: .daily("20240604").with(key: "")).text,
            await sandbox.respond(to: .daily("20240604")).text, await sandbox.respond(to: .daily("20240604")).text,
        ]
        #expect(texts.map { $0.contains("boxOfficeResult") } == [true, false, true, false])
        #expect(texts[3] == String(decoding: SimulatedKobisError.quotaExhausted.body, as: UTF8.self))
        let later = WebRequest(method: "PATCH", path: "/control", body: Array(#"{"clockOffset":86400}"#.utf8))
        #expect(await sandbox.respond(to: later).status == 200)
        #expect(await sandbox.respond(to: .daily("20240604")).text.contains("dailyBoxOfficeList"))
    }

    @Test("a configured key is the only accepted one")
    func configuredKey() async throws {
        let key = String(repeating: "ab", count: 16)
        let sandbox = try makeSandbox { $0.kobisKey = key }
        #expect(await sandbox.respond(to: .daily("20240604")).text.contains("320010"))
        #expect(await sandbox.respond(to: .daily("20240604").with(key: key)).text.contains("boxOfficeResult"))
    }

    @Test("a chart has the keys of the recorded charts in the same order")
    func keys() async throws {
        let response = try await makeSandbox().respond(to: .daily("20240604"))
        #expect(
            response.text.hasPrefix(#"{"boxOfficeResult":{"boxofficeType":"일별 박스오피스","showRange":"20240604~20240604","#)
        )
        let recorded = String(decoding: try Recorded.data("kobis/daily/20240604.json"), as: UTF8.self)
        #expect(keyOrder(response.text) == keyOrder(recorded))
        #expect(try response.lines().count == 10)
    }

    @Test("days without figures have an empty list", arguments: ["20240605", "20991231", "20031110"])
    func emptyDays(date: String) async throws {
        let response = try await makeSandbox().respond(to: .daily(date))
        #expect(
            response.text == #"{"boxOfficeResult":{"boxofficeType":"일별 박스오피스","showRange":"\#(date)~\#(date)","#
                + #""dailyBoxOfficeList":[]}}"#)
    }

    @Test("a chart has at most ten lines")
    func lines() async throws {
        #expect(try await makeSandbox().respond(to: .daily("20240604")).lines().count == 10)
    }

    @Test("each filter returns only its market")
    func filters() async throws {
        let sandbox = try makeSandbox()
        func codes(_ filter: (String, String)...) async throws -> [String?] {
            var request = WebRequest.daily("20240604")
            request.query += filter.map { (name: $0.0, value: $0.1) }
            return try await sandbox.respond(to: request).lines().map { $0["movieCd"] }
        }
        let all = try await codes()
        let lists = [
            try await codes(("repNationCd", "K")), try await codes(("repNationCd", "F")),
            try await codes(("multiMovieYn", "Y")), try await codes(("multiMovieYn", "N")),
            try await codes(("wideAreaCd", "0105001")), try await codes(("repNationCd", "K"), ("multiMovieYn", "Y")),
        ]
        #expect(Set(lists).count >= 5)
        #expect(Set(lists[0]).isDisjoint(with: lists[1]) && Set(lists[2]).isDisjoint(with: lists[3]))
        #expect(Set(all).isSubset(of: lists[0] + lists[1]))
        #expect(try await codes(("wideAreaCd", "0109999")).isEmpty)
    }

    @Test("a weekend chart has its range and its week")
    func weekly() async throws {
        let response = try await makeSandbox().respond(
            to:
                .kobis("boxoffice/searchWeeklyBoxOfficeList", ("targetDt", "20190712")))
        #expect(response.text.contains(#""showRange":"20190712~20190714","yearWeekTime":"201928""#))
        #expect(response.text.contains("주말 박스오피스"))
        #expect(try response.lines().count == 10)
    }

    @Test("a movie has the recorded keys; an unknown code has empty values")
    func movie() async throws {
        let sandbox = try makeSandbox()
        let code = try #require(try await sandbox.respond(to: .daily("20240604")).lines().first?["movieCd"])
        let response = await sandbox.respond(to: .kobis("movie/searchMovieInfo", ("movieCd", code)))
        let info = try #require(
            (try response.json()["movieInfoResult"] as? [String: Any])?["movieInfo"] as? [String: Any])
        #expect(info["movieCd"] as? String == code)
        #expect((info["openDt"] as? String)?.count == 8)
        let recorded = try JSONSerialization.jsonObject(with: try Recorded.data("kobis/movie/2022B512.json"))
        let result = (recorded as? [String: Any])?["movieInfoResult"] as? [String: Any]
        #expect(Set(info.keys) == Set((result?["movieInfo"] as? [String: Any] ?? [:]).keys))
        for unknown in ["", "00000000", "20249999X", "21000001"] {
            let response = await sandbox.respond(to: .kobis("movie/searchMovieInfo", ("movieCd", unknown)))
            #expect(response.text.hasPrefix(#"{"movieInfoResult":{"movieInfo":{"movieCd":"""#))
        }
    }

    @Test("the code list contains the areas")
    func codes() async throws {
        let response = try await makeSandbox().respond(to: .kobis("code/searchCodeList", ("comCode", "0105000000")))
        #expect((try response.json()["codes"] as? [[String: String]])?.first?["korNm"] == "서울시")
    }

    @Test(
        "other paths return 404",
        arguments: ["/", "/kobisopenapi/webservice/rest/boxoffice/x.json", "/v2/search/web"])
    func paths(path: String) async throws {
        #expect(try await makeSandbox().respond(to: WebRequest(path: path)).status == 404)
    }
}

struct KakaoTests {
    @Test(
        "Kakao errors equal the recorded ones",
        arguments: [
            (WebRequest.kakao(("query", "x")).with(authorization: nil), 401, "401-AccessDenied-format"),
            (WebRequest.kakao(("query", "x")).with(authorization: "Bearer x"), 401, "401-AccessDenied-format"),
            (WebRequest.kakao(), 400, "400-MissingParameter"),
            (WebRequest.kakao(("query", "x"), ("page", "51")), 400, "400-InvalidArgument-page-max"),
            (WebRequest.kakao(("query", "x"), ("page", "0")), 400, "400-InvalidArgument-page-min"),
        ])
    func errors(request: WebRequest, status: Int, file: String) async throws {
        let response = try await makeSandbox().respond(to: request)
        #expect(response.status == status)
        let recorded = String(decoding: try Recorded.data("kakao/fault/\(file).json"), as: UTF8.self)
        #expect(response.text == recorded.trimmingCharacters(in: .newlines))
    }

    @Test(
        "injected Kakao errors equal the recorded ones",
        arguments: [
            ("AccessDeniedError", 401, "401-AccessDenied-unknown"), ("RequestThrottled", 429, "429-RequestThrottled"),
            ("-401", 401, "401-platform"), ("-10", 400, "400-platform-quota"),
        ])
    func injectedErrors(code: String, status: Int, file: String) async throws {
        let response = try await makeSandbox { try $0.faults.set("kakao.faults.\(code)=1") }
            .respond(to: .kakao(("query", "x")))
        #expect(response.status == status)
        let recorded = String(decoding: try Recorded.data("kakao/fault/\(file).json"), as: UTF8.self)
        #expect(response.text == recorded.trimmingCharacters(in: .newlines))
    }

    @Test("an exhausted quota returns 429; a call without a key does not count")
    func quota() async throws {
        let sandbox = try makeSandbox { try $0.faults.set("kakao.quota=1") }
        let search = WebRequest.kakao(("query", "x"))
        #expect(await sandbox.respond(to: search.with(authorization: "KakaoAK")).status == 401)
        #expect(await sandbox.respond(to: search).status == 200)
        #expect(await sandbox.respond(to: search).status == 429)
    }

    @Test("a search without hits returns an empty page")
    func empty() async throws {
        let response = try await makeSandbox().respond(to: .kakao(("query", "아무도 만들지 않은 영화")))
        #expect(
            response.text == #"{"documents":[],"meta":{"is_end":true,"pageable_count":0,"total_count":0}}"#)
    }

    @Test("pages have the requested size, and the last one is marked as the end")
    func pages() async throws {
        let sandbox = try makeSandbox()
        let movie = try #require(
            World(seed: 1).movies(openingIn: ReleaseWeek(number: 2_835)).first { $0.imageCount > 20 })
        let total = World(seed: 1).imageHits(for: movie.plainTitle, at: settledInstant).count
        #expect(total >= movie.imageCount)
        func page(_ number: Int, size: Int) async throws -> (urls: [String], isEnd: Bool) {
            let response = await sandbox.respond(
                to:
                    .kakao(("query", movie.plainTitle), ("page", String(number)), ("size", String(size))))
            let documents = try #require(try response.json()["documents"] as? [[String: Any]])
            let meta = try #require(try response.json()["meta"] as? [String: Any])
            #expect(meta["pageable_count"] as? Int == total)
            return (documents.compactMap { $0["image_url"] as? String }, try #require(meta["is_end"] as? Bool))
        }
        let all = try await page(1, size: 80)
        let (first, second) = (try await page(1, size: 10), try await page(2, size: 10))
        #expect(first.urls + second.urls == Array(all.urls.prefix(20)))
        #expect(!first.isEnd)
        #expect(try await page(50, size: 80).isEnd)
        let own = all.urls.count { $0.hasPrefix("http://127.0.0.1:8590/posters/\(movie.code)-") }
        #expect(own == min(movie.imageCount, own) && own * 10 > all.urls.count * 8)
    }

    @Test("movies of one title have their hits mixed, and the year or the director draws a movie's own to the front")
    func namesakes() throws {
        let world = World(seed: 1)
        let publishedView = PublishedView(at: settledInstant)
        let pairs = world.titles(upTo: publishedView.newestWeek).filter { $0.value.count == 2 }
            .map { ($0.key, $0.value.map { SimulatedMovie($0, seed: 1) }) }
            .filter { $0.1.allSatisfy { $0.imageCount > 10 && publishedView.lists($0) } }
        #expect(pairs.count > 20)
        for (title, movies) in pairs {
            for movie in movies {
                let plain = world.imageHits(for: "\(title) 영화 포스터", at: settledInstant).prefix(10)
                #expect(Set(plain.map(\.movie.code)).isSuperset(of: movies.map(\.code)))
                let hits = world.imageHits(for: "\(title) \(movie.opening.year) 영화 포스터", at: settledInstant).prefix(10)
                #expect(hits.count { $0.movie.id == movie.id } > plain.count { $0.movie.id == movie.id })
                #expect(hits.contains { $0.movie.id != movie.id })
            }
        }
    }

    @Test("some movies have no images, and some first hits are unusable")
    func hits() {
        let movies = (2_000..<2_050).flatMap { World(seed: 1).movies(openingIn: ReleaseWeek(number: $0)) }
        let first = movies.filter { $0.imageCount > 0 }.map { ImageHit(of: $0, number: 1) }
        #expect(first.count < movies.count)
        let unusable = Double(first.count { $0.content != .image }) / Double(first.count)
        #expect((0.15...0.35).contains(unusable))
    }
}

/// Returns the keys of a chart's JSON text in their order.
private func keyOrder(_ text: String) -> [Substring] {
    let words = text.split(separator: "\"")
    return zip(words, words.dropFirst()).filter { $1.hasPrefix(":") }.map(\.0)
}

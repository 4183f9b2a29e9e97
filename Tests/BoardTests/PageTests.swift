import BoxOffice
import Contract
import Foundation
import Networking
import OpenMarket
import TestSupport
import Testing

@testable import Board

/// What a page says of itself before its script runs, and totals that are no sums.
@Suite(.patience) struct PageTests {
    private static let publicURL = "https://board.example/films"

    private func chart(_ day: String, total: Int?) throws -> Chart {
        let chart = try Sample.chart(day, "AB")
        let entries = chart.entries.map { entry in
            var entry = entry
            entry.audienceTotal = total
            return entry
        }
        return Chart(date: chart.date, market: chart.market, state: chart.state, entries: entries)
    }

    @Test("each page has its own title, description and tags for other sites, which say what is known")
    func heads() async throws {
        let harness = try BoardHarness(["MARQUEE_PUBLIC_URL": Self.publicURL])
        let worker = try await harness.startPublisher()
        let known = try chart("2024-06-04", total: 12_345_678)
        try await worker.publish(Sample.topic(known), known)
        let image = Poster.Image(
            imageURL: "http://127.0.0.1:1/a", thumbnailURL: "http://127.0.0.1:1/b", width: 10, height: 15, site: nil,
            pageURL: nil, source: "kakao", contentType: "image/jpeg", bytes: 100,
            sha256: String(repeating: "ab", count: 32))
        try await worker.publish(
            .poster(try Sample.code("A")), Poster(code: try Sample.code("A"), title: "A", query: "A", image: image)
        )
        var options = BoardProcess.Options()
        options.basePath = try #require(BasePath("/films"))
        try await harness.open(options) { address in
            let client = BoardClient(address: address)
            func page(_ path: String) async throws -> String {
                String(decoding: try await client.get("/films/\(path)").body, as: UTF8.self)
            }
            let pages = [
                ("", "한국 박스오피스", "순위와 관객수"),
                ("day/2024-06-04", "2024년 6월 4일 화요일 일별 박스오피스", "1위 〈A〉 1,000명, 2위 〈B〉 999명"),
                ("day/2024-06-03", "2024년 6월 3일 월요일 일별 박스오피스", "박스오피스 순위와 관객수"),
                ("weekend/2024-06-01", "2024년 5월 31일~6월 2일 주말 박스오피스", "순위와 관객수"),
                ("weekdays/2024-06-04", "2024년 6월 3일~6일 주중 박스오피스", "순위와 관객수"),
                ("movie/AAAAAAAA", "A", "누적관객수 12,345,678명(2024-06-04 기준)"), ("history", "흥행 추이", "순위 추이"),
                ("alerts", "알림", "박스오피스의 변화"), ("shop", "스토어", "상품"), ("operations", "운영", "상태"),
            ]
            for (path, title, description) in pages {
                let page = try await page(path)
                #expect(page.contains("<title>\(title) · marquee</title>"), "\(path)")
                #expect(page.contains("<meta property=\"og:title\" content=\"\(title)\">"), "\(path)")
                let descriptions = page.matches(of: /<meta [^>]*description" content="([^"]*)">/).map { $0.output.1 }
                #expect(descriptions.count == 2 && descriptions.allSatisfy { $0.contains(description) }, "\(path)")
                #expect(page.contains("<base href=\"/films/\">"))
            }
            let day = try await page("day/2024-06-04")
            #expect(day.contains("<meta property=\"og:url\" content=\"\(Self.publicURL)/day/2024-06-04\">"))
            let version = try #require(image.version)
            let picture = "\(Self.publicURL)/api/v1/posters/AAAAAAAA/\(version)?size=large"
            #expect(day.contains("<meta property=\"og:image\" content=\"\(picture)\">"))
            let filtered = try await page("day/2024-06-04?nation=K")
            #expect(!filtered.contains("og:url"), "the address of another page")
        }
        await worker.end()
    }

    @Test("a page's head and an error repeat few bytes of a stranger's text, whatever one character has")
    func boundedTexts() async throws {
        let harness = try BoardHarness()
        let worker = try await harness.startPublisher()
        let giant = "a" + String(repeating: "\u{301}", count: 20_000)
        var product = try Sample.product(7, images: [])
        (product.name, product.description) = (giant, giant)
        try await worker.publish(.product(product.id), product)
        try await harness.open { address in
            let client = BoardClient(address: address)
            let page = try await client.get("/shop/7").body
            #expect(page.range(of: Data("<title>a\u{301}".utf8)) != nil && page.count < 10_000)
            let answer = try await client.post("requests", #"{"topic":"\#(giant)"}"#)
            #expect(answer.status == 400 && answer.body.count < 1_000)
        }
        await worker.end()
    }

    @Test("a title cannot end the markup that it is in")
    func escaping() async throws {
        let harness = try BoardHarness()
        let worker = try await harness.startPublisher()
        var entry = ChartEntry(
            line: 1, rank: 1, rankChange: 0, isNew: false, movieCode: try Sample.code("A"),
            title: "\"\u{301}></title><script>&")
        entry.audience = 1
        let chart = Chart(date: try Sample.date("2024-06-04"), market: .all, state: .settled, entries: [entry])
        try await worker.publish(Sample.topic(chart), chart)
        try await harness.open { address in
            for path in ["day/2024-06-04", "movie/AAAAAAAA"] {
                let page = String(decoding: try await BoardClient(address: address).get("/\(path)").body, as: UTF8.self)
                #expect(page.utf8.filter { $0 == UInt8(ascii: "<") }.count == page.matches(of: /<[a-z!\/]/).count)
                #expect(page.contains("&quot;\u{301}&gt;&lt;/title&gt;&lt;script&gt;&amp;"), "\(path)")
                #expect(!page.contains("og:url") && !page.contains("og:image"), "nobody knows the public address")
            }
        }
        await worker.end()
    }

    @Test("a movie's total in a history is that of its newest known day, by days and by weeks, and no sum")
    func totals() async throws {
        let harness = try BoardHarness()
        let worker = try await harness.startPublisher()
        for (day, total) in [
            ("2024-06-01", 500_000), ("2024-06-03", 700_000), ("2024-06-04", nil), ("2024-06-06", 900_000),
        ] {
            let chart = try chart(day, total: total)
            try await worker.publish(Sample.topic(chart), chart)
        }
        try await harness.open { address in
            let client = BoardClient(address: address)
            for range in ["from=2024-06-01&to=2024-06-05", "from=2020-06-01&to=2024-06-05"] {
                let films = try #require(try await client.json("history?\(range)")["movies"] as? [[String: Any]])
                #expect(films.map { $0["audienceTotal"] as? Int } == [700_000, 700_000], "\(range)")
            }
        }
        await worker.end()
    }

    @Test("a worker that does not answer is the board's own fault, and worth another try")
    func noWorker() async throws {
        let harness = try BoardHarness()
        let worker = try await harness.startPublisher()
        try await harness.open { address in
            await worker.end()
            let answer = try await BoardClient(address: address).post(
                "requests", #"{"topic":"fetch.day","date":"2024-06-04"}"#)
            #expect(answer.status == 503 && answer["Retry-After"] == "10")
            #expect(try answer.failure.code == "internal")
        }
    }
}

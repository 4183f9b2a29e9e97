import BoxOffice
import Concurrency
import Contract
import Foundation
import Imaging
import Networking
import TestSupport
import Testing
import WebServer

@testable import Board

/// The whole board, reading the event logs of a worker and a notifier.
@Suite(.patience) struct BoardProcessTests {
    let harness: BoardHarness

    init() throws {
        harness = try BoardHarness()
    }

    private func get(
        _ address: String, _ path: String, method: HTTPRequest.Method = .get, headers: [HTTPField] = [],
        body: String? = nil
    ) async throws -> HTTPResponse {
        try await BoardClient(address: address).get(path, method, headers: headers, body: body.map { Array($0.utf8) })
    }

    private func expect(_ status: Int, _ address: String, _ path: String) async throws {
        #expect(try await get(address, path).status == status, "\(path)")
    }

    private func json(_ response: HTTPResponse) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: response.body) as? [String: Any])
    }

    private func code(_ response: HTTPResponse) throws -> String? { try json(response)["code"] as? String }

    private func expectKnown(_ isKnown: Bool, _ address: String, _ path: String) async throws {
        #expect(try json(try await get(address, path))["known"] as? Bool == isKnown, "\(path)")
    }

    @Test("a published chart reaches browsers live and can be requested, and so does its correction")
    func charts() async throws {
        let worker = try await harness.startPublisher()
        try await harness.open { address in
            let stream = try EventStreamClient(address)
            _ = await stream.next(1, "hello")
            try await expectKnown(false, address, "/api/v1/days/2024-06-04")
            let first = try Sample.chart("2024-06-04", "AB")
            try await worker.publish(Sample.topic(first), first)
            #expect(await stream.next(1, "chart").first?.data.contains("\"revision\":1") == true)
            let second = try #require(try Sample.chart("2024-06-04", "AB", audience: 990).revised(from: first))
            try await worker.publish(Sample.topic(second), second)
            #expect(await stream.next(1, "chart").first?.data.contains("\"revision\":2") == true)
            let answer = try json(try await get(address, "/api/v1/days/2024-06-04"))
            let chart = try #require(answer["chart"] as? [String: Any])
            #expect(answer["known"] as? Bool == true && chart["revision"] as? Int == 2)
            let revisions = try #require(answer["revisions"] as? [[String: Any]])
            #expect(revisions.map { ($0["corrections"] as? [Any])?.count } == [0, 2])
            let days = try json(try await get(address, "/api/v1/calendar/2024"))["days"] as? [[String: Any]]
            #expect(days?.compactMap { $0["date"] as? String } == ["2024-06-04"])
        }
        await worker.end()
    }

    @Test("a week's chart is found by any of its days, and is not part of a movie's run")
    func weeks() async throws {
        let worker = try await harness.startPublisher()
        try await harness.open { address in
            let stream = try EventStreamClient(address)
            _ = await stream.next(1, "hello")
            let week = Week(of: try Sample.date("2024-06-04"), span: .weekend)
            let entries = try Sample.chart("2024-06-07", "AB").entries
            let chart = WeekChart(week: week, yearWeek: "202423", market: .all, state: .settled, entries: entries)
            try await worker.publish(.weekRanking(week, market: .all), chart)
            let update = try #require(await stream.next(1, "chart").first)
            #expect(update.data.contains("\"span\":\"weekend\"") && update.data.contains("2024-06-07"))
            for day in ["2024-06-04", "2024-06-07", "2024-06-09"] {
                try await expect(200, address, "/api/v1/weeks/weekend/\(day)")
            }
            try await expectKnown(false, address, "/api/v1/weeks/week/2024-06-07")
            try await expect(400, address, "/api/v1/weeks/month/2024-06-07")
            try await expectKnown(false, address, "/api/v1/movies/AAAAAAAA")
        }
        await worker.end()
    }

    @Test("an area has a chart of its own, and the API lists areas with their names")
    func areas() async throws {
        let worker = try await harness.startPublisher()
        try await harness.open { address in
            let stream = try EventStreamClient(address)
            _ = await stream.next(1, "hello")
            let areas = try json(try await get(address, "/api/v1/areas"))["areas"] as? [[String: Any]]
            let seoul = try #require(areas?.first)
            #expect(seoul as? [String: String] == ["code": "0105001", "name": "서울시", "nameEnglish": "Seoul"])
            let market = Market(area: Market.Area("0105001"))
            let chart = try Sample.chart("2024-06-04", "BA", market: market)
            try await worker.publish(Sample.topic(chart), chart)
            #expect(await stream.next(1, "chart").first?.data.contains("\"market\":\"area-0105001\"") == true)
            try await expectKnown(true, address, "/api/v1/days/2024-06-04?market=area-0105001")
            try await expectKnown(false, address, "/api/v1/days/2024-06-04")
        }
        await worker.end()
    }

    @Test("a history of more than a year has weeks: their Mondays, and ranks by the audience of all their days")
    func longHistory() async throws {
        let worker = try await harness.startPublisher()
        // Two days of one week, in which B overtakes A, and one of another.
        for (day, titles) in [("2020-06-06", "AB"), ("2020-06-07", "BC"), ("2024-06-03", "A")] {
            let chart = try Sample.chart(day, titles)
            try await worker.publish(Sample.topic(chart), chart)
        }
        try await harness.open { address in
            let range = "from=2004-01-01&to=2026-01-01"
            let history = try json(try await get(address, "/api/v1/history?\(range)"))
            #expect(history["step"] as? String == "week")
            #expect(history["days"] as? [String] == ["2020-06-01", "2024-06-03"])
            #expect(history["knownDays"] as? [Int] == [2, 1])
            let movies = try #require(history["movies"] as? [[String: Any]])
            #expect(movies.map { $0["code"] as? String } == ["AAAAAAAA", "BBBBBBBB", "CCCCCCCC"])
            let points = movies.map { $0["points"] as? [[Int]] }
            #expect(points == [[[0, 2, 1_000], [1, 1, 1_000]], [[0, 1, 1_999]], [[0, 3, 999]]])
            let table = String(decoding: try await get(address, "/api/v1/history.csv?\(range)").body, as: UTF8.self)
            #expect(table.split(separator: "\r\n").dropFirst().first == "2020-06-01,1,BBBBBBBB,B,1999")
        }
        await worker.end()
    }

    @Test("charts, histories and alerts have the English titles of movies whose facts are known")
    func englishTitles() async throws {
        let worker = try await harness.startPublisher()
        let notifier = try await harness.startPublisher(isNotifier: true)
        let chart = try Sample.chart("2024-06-04", "AB")
        var movie = Movie(code: try Sample.code("A"), title: "가")
        movie.titleEnglish = "First"
        try await worker.publish(Sample.topic(chart), chart)
        try await worker.publish(.movie(movie.code), movie)
        try await harness.open { address in
            let stream = try EventStreamClient(address)
            _ = await stream.next(1, "hello")
            try await notifier.publish(.alert("rose", about: AlertSubject(movie.code), chart.date), Sample.Alert())
            #expect(await stream.next(1, "alert").first?.data.contains("\"titleEnglish\":\"First\"") == true)
            let titles = try json(try await get(address, "/api/v1/days/2024-06-04"))["titlesEnglish"]
            #expect(titles as? [String: String] == ["AAAAAAAA": "First"])
            let history = try json(try await get(address, "/api/v1/history?from=2024-06-01&to=2024-06-05"))
            let movies = try #require(history["movies"] as? [[String: Any]])
            #expect(movies.map { $0["titleEnglish"] as? String } == ["First", nil])
            for path in ["/api/v1/alerts", "/api/v1/alerts?movie=first", "/api/v1/movies/AAAAAAAA"] {
                let alerts = try json(try await get(address, path))["alerts"] as? [[String: Any]]
                #expect(alerts?.map { $0["titleEnglish"] as? String } == ["First"], "\(path)")
            }
        }
        await worker.end()
        await notifier.end()
    }

    @Test("the council's words are available in English")
    func vocabulary() async throws {
        let worker = try await harness.startPublisher()
        try await harness.open { address in
            let words = try json(try await get(address, "/api/v1/vocabulary"))
            #expect((words["genres"] as? [String: String])?["공포(호러)"] == "Horror")
            #expect(Set(words.keys) == Set(MovieVocabulary.allCases.map(\.rawValue)))
        }
        await worker.end()
    }

    @Test("a browser misses nothing while the board restarts, because ids continue")
    func restart() async throws {
        let worker = try await harness.startPublisher()
        let charts = try (1...4).map { try Sample.chart("2024-06-0\($0)", "AB") }
        try await worker.publish(Sample.topic(charts[0]), charts[0])
        let id = try await harness.open { address in
            let stream = try EventStreamClient(address)
            return await stream.next(1, "hello").first?.id
        }
        try await worker.publish(Sample.topic(charts[1]), charts[1])
        try await harness.open { address in
            try await worker.publish(Sample.topic(charts[2]), charts[2])
            let stream = try EventStreamClient(address, after: id)
            let missed = await stream.next(2, "chart", "reset")
            #expect(missed.map { $0.data.contains("2024-06-02") } == [true, false])
            #expect(missed.map { $0.data.contains("2024-06-03") } == [false, true])
            try await worker.publish(Sample.topic(charts[3]), charts[3])
            #expect(await stream.next(1, "chart").first?.data.contains("2024-06-04") == true)
        }
        await worker.end()
    }

    @Test("a deleted database is filled again from the log, and a browser that reconnects gets a reset")
    func thrownAway() async throws {
        let worker = try await harness.startPublisher()
        let chart = try Sample.chart("2024-06-04", "AB")
        try await worker.publish(Sample.topic(chart), chart)
        let (id, before) = try await harness.open { address in
            let stream = try EventStreamClient(address)
            let id = await stream.next(1, "hello").first?.id
            return (id, try await get(address, "/api/v1/days/2024-06-04").body)
        }
        for suffix in ["", "-wal", "-shm", "-lock"] {
            try? FileManager.default.removeItem(atPath: harness.folder.file("board.db\(suffix)"))
        }
        try await harness.open { address in
            let stream = try EventStreamClient(address, after: id)
            #expect(await stream.next(1, "chart", "reset", "hello").map(\.name) == ["reset"])
            #expect(try await get(address, "/api/v1/days/2024-06-04").body == before)
        }
        await worker.end()
    }

    @Test("the board deletes a damaged database and fills it again")
    func damaged() async throws {
        let worker = try await harness.startPublisher()
        let chart = try Sample.chart("2024-06-04", "AB")
        try await worker.publish(Sample.topic(chart), chart)
        try await harness.open { _ in }
        try Data(repeating: 0xAB, count: 9_000).write(to: URL(filePath: harness.folder.file("board.db")))
        try await harness.open { address in
            try await expect(200, address, "/api/v1/days/2024-06-04")
        }
        await worker.end()
    }

    @Test("a new log of the worker replaces everything from the old one")
    func newLog() async throws {
        let old = try await harness.startPublisher(log: "old")
        let chart = try Sample.chart("2024-06-04", "AB")
        try await old.publish(Sample.topic(chart), chart)
        try await harness.open { address in
            try await expectKnown(true, address, "/api/v1/days/2024-06-04")
        }
        await old.end()
        let new = try await harness.startPublisher(log: "new")
        let other = try Sample.chart("2024-06-05", "BA")
        try await new.publish(Sample.topic(other), other)
        try await harness.open { address in
            try await expectKnown(false, address, "/api/v1/days/2024-06-04")
            try await expectKnown(true, address, "/api/v1/days/2024-06-05")
        }
        await new.end()
    }

    @Test("alerts arrive live, are found by rule and movie, and name the alert that retracts them")
    func alerts() async throws {
        let worker = try await harness.startPublisher()
        let notifier = try await harness.startPublisher(isNotifier: true)
        try await harness.open { address in
            let stream = try EventStreamClient(address)
            _ = await stream.next(1, "hello")
            let day = try Sample.date("2024-06-04")
            try await notifier.publish(.alert("rose", about: AlertSubject(try Sample.code("A")), day), Sample.Alert())
            let first = try #require(await stream.next(1, "alert").first)
            #expect(first.data.contains("▲3"))
            let list = try json(try await get(address, "/api/v1/alerts?rule=rose&movie=a"))
            let alerts = try #require(list["alerts"] as? [[String: Any]])
            let id = try #require(alerts.first?["id"] as? String)
            #expect(alerts.count == 1 && alerts[0]["retractedBy"] == nil)
            #expect(try json(try await get(address, "/api/v1/alerts?rule=fell"))["alerts"] as? [String] == [])
            try await notifier.publish(
                .alert("rose", about: AlertSubject(try Sample.code("A")), day), Sample.Alert(retracts: id))
            _ = await stream.next(1, "alert")
            let both = try json(try await get(address, "/api/v1/alerts"))["alerts"] as? [[String: Any]]
            #expect(both?.map { $0["retractedBy"] is String } == [false, true])
            let movie = try json(try await get(address, "/api/v1/movies/AAAAAAAA"))
            #expect((movie["alerts"] as? [Any])?.count == 2)
            try await notifier.publish(
                .alert("anomaly", about: AlertSubject(.late), day),
                Sample.Alert(rule: "anomaly", movieCode: nil, title: nil))
            #expect(await stream.next(1, "alert").first?.data.contains("\"rule\":\"anomaly\"") == true)
        }
        await notifier.end()
        await worker.end()
    }

    @Test("a visitor's request goes to the worker; the board refuses what the worker would refuse")
    func requests() async throws {
        let worker = try await harness.startPublisher()
        try await harness.open { address in
            let type = HTTPField("Content-Type", "application/json")
            func post(_ body: String, _ headers: [HTTPField]) async throws -> HTTPResponse {
                try await get(address, "/api/v1/requests", method: .post, headers: headers, body: body)
            }
            let day = "{\"topic\":\"fetch.day\",\"date\":\"2024-06-04\"}"
            let accepted = try await post(day, [type])
            let id = try #require(try json(accepted)["id"] as? String)
            #expect(accepted.status == 202 && id.hasPrefix("board-"))
            #expect(try await post(day, [HTTPField("Content-Type", "text/plain")]).status == 400)
            #expect(
                try code(try await post("{\"topic\":\"fetch.day\",\"date\":\"2003-01-01\"}", [type]))
                    == "dateOutOfRange")
            #expect(try code(try await post("{\"topic\":\"fetch.catalogue\"}", [type])) == "badRequest")
            #expect(try code(try await post("[]", [type])) == "badRequest")
            let stream = try EventStreamClient(address)
            _ = await stream.next(1, "hello")
            let request = try #require(RequestID(id))
            try await worker.publish(
                .request(.done, request), RequestDone(topic: "fetch.day", events: [], from: .log, problems: []))
            #expect(await stream.next(1, "request").first?.data.contains(id) == true)
        }
        await worker.end()
    }

    @Test("all visitors together may send half a minute's requests at once, and then as many a second as configured")
    func rate() async throws {
        let harness = try BoardHarness(["MARQUEE_BOARD_RATE": "1"])
        let worker = try await harness.startPublisher()
        let clock = ManualClock()
        try await harness.open(clock: clock) { address in
            let client = BoardClient(address: address)
            func ask() async throws -> HTTPResponse {
                try await client.post("requests", #"{"topic":"fetch.day","date":"2024-06-04"}"#)
            }
            for _ in 1...30 { #expect(try await ask().status == 202) }
            let refused = try await ask()
            #expect(refused.status == 429 && refused["Retry-After"] == "5")
            #expect(try refused.failure.code == "overloaded")
            clock.advance(by: .seconds(2))
            #expect(try await ask().status == 202)
            #expect(try await ask().status == 202)
            #expect(try await ask().status == 429)
            clock.advance(by: .seconds(3_600))
            for _ in 1...30 { #expect(try await ask().status == 202) }
            #expect(try await ask().status == 429)
            let figures = try Exposition(String(decoding: try await client.get("/metrics").body, as: UTF8.self))
            #expect(figures["marquee_board_refused_total", ["code": "overloaded"]] == 3)
        }
        #expect(worker.accepted.count == 62)
        await worker.end()
    }

    @Test("a poster is fetched once and resized, from a private address only if that is trusted")
    func posters() async throws {
        let fetched = Locked(0)
        let bytes = Bitmap(width: 600, height: 900).encodeJPEG()
        let host = try HTTPServer(address: "127.0.0.1:0") { _ in
            fetched.withLock { $0 += 1 }
            return WebResponse(contentType: "text/html", body: .bytes(bytes))
        }
        let worker = try await harness.startPublisher()
        let image = Poster.Image(
            imageURL: "http://\(host.address)/a", thumbnailURL: "http://\(host.address)/b", width: 600, height: 900,
            site: nil, pageURL: nil, source: "kakao", contentType: "image/jpeg", bytes: bytes.count,
            sha256: String(repeating: "ab", count: 32))
        let code = try Sample.code("A")
        try await worker.publish(.poster(code), Poster(code: code, title: "A", query: "A", image: image))
        let path = "/api/v1/posters/AAAAAAAA/abababababab"
        try await harness.open { address in
            try await expect(404, address, path)
            #expect(fetched.withLock { $0 } == 0)
        }
        var options = BoardProcess.Options()
        options.trustedImages = "http://\(host.address)"
        try await harness.open(options) { address in
            for _ in 1...3 {
                let small = try await get(address, path)
                #expect(ImageHeader.read(small.body) == ImageHeader.read(Bitmap(width: 144, height: 216).encodeJPEG()))
                #expect(small["Cache-Control"]?.contains("immutable") == true)
                // Mail and the pages of chats show it; they show nothing else of the board.
                #expect(small["Cross-Origin-Resource-Policy"] == "cross-origin")
            }
            let large = try await get(address, path + "?size=large")
            #expect(ImageHeader.read(large.body)?.height == 720)
            #expect(fetched.withLock { $0 } == 1)
            try await expect(404, address, "/api/v1/posters/AAAAAAAA/000000000000")
            #expect(try await get(address, "/board.css")["Cross-Origin-Resource-Policy"] == "same-origin")
        }
        await host.shutdown(grace: .seconds(1))
        await worker.end()
    }
}

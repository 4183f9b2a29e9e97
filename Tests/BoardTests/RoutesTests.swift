import Contract
import Foundation
import Networking
import TestSupport
import Testing
import WebServer

@testable import Board

/// One character of 301 bytes.
private let longWord = "a" + String(repeating: "%CC%81", count: 150)

@Suite(.patience) struct RoutesTests {
    @Test(
        "a base path has a slash at both ends",
        arguments: [("/", "/"), ("/marquee", "/marquee/"), ("/a/b-c_d.e/", "/a/b-c_d.e/"), ("//", "/")])
    func basePaths(text: String, path: String) {
        #expect(BasePath(text)?.description == path)
    }

    @Test(
        "a base path has no parts that leave it, and no characters that HTML or a header would need escaped",
        arguments: ["", "marquee", "/a/../b", "/.", "/a\"b", "/a b", "/<a>"])
    func wrongBasePaths(text: String) {
        #expect(BasePath(text) == nil)
    }

    @Test("the relative path is what follows the base path; other paths have none")
    func relativePath() throws {
        let basePath = try #require(BasePath("/marquee/"))
        #expect(basePath.relativePath(of: "/marquee/day/2024-06-04") == "day/2024-06-04")
        #expect(basePath.relativePath(of: "/marquee") == "")
        #expect(basePath.relativePath(of: "/marquees/") == nil)
        #expect(basePath.relativePath(of: "/") == nil)
        #expect(BasePath.root.relativePath(of: "/day") == "day")
    }

    @Test("the page contains the base path and the headings of alerts")
    func pageWithBase() throws {
        let files = try BoardRouter.files(
            in: try BoardHarness.webFolder, basePath: try #require(BasePath("/marquee")),
            ruleHeadings: ["lead": RuleHeading("1위 교체", "New No. 1", glyph: "★")])
        let page = String(decoding: try #require(files["index.html"]).content.bytes, as: UTF8.self)
        #expect(page.contains("<base href=\"/marquee/\">"))
        #expect(page.contains(#">{"lead":{"en":"New No. 1","glyph":"★","ko":"1위 교체"}}</script>"#))
        #expect(files["app.js"]?.contentType.hasPrefix("text/javascript") == true)
        #expect(files["../index.html"] == nil && files[""] == nil)
    }

    @Test("the board has a page at each address that the script knows, and at no other")
    func places() throws {
        let script = try String(contentsOfFile: "\(try BoardHarness.webFolder)/pages.js", encoding: .utf8)
        let lists = script.matches(of: /words: \[([^\]]*)\]/).map(\.output.1)
        let words = lists.flatMap { $0.matches(of: /'([^']*)'/).map { String($0.output.1) } }
        #expect(Set(words) == BoardRouter.places)
    }

    @Test("the page has no inline scripts or styles, and loads nothing from other hosts")
    func selfContained() throws {
        let folder = try BoardHarness.webFolder
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            guard [".html", ".css", ".js", ".svg"].contains(where: path.hasSuffix) else { continue }
            let text = try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)
            let addresses = text.matches(of: /https?:\/\/[^\s"'<)]+/).map { String($0.output) }
            let isAllowed = addresses.allSatisfy {
                ["http://www.w3.org/2000/svg", "https://www.kobis.or.kr"].contains($0)
            }
            #expect(isAllowed, "\(path): \(addresses)")
            #expect(!text.contains("innerHTML") && !text.contains(" style=\"") && !text.contains("@import"), "\(path)")
        }
    }

    @Test("figures at the edges of a number do not end a history")
    func edges() async throws {
        let harness = try BoardHarness()
        let worker = try await harness.startPublisher()
        for day in ["2024-06-03", "2024-06-04"] {
            let chart = try Sample.chart(day, "AB", audience: .max)
            try await worker.publish(Sample.topic(chart), chart)
        }
        try await harness.open { address in
            let client = BoardClient(address: address)
            for range in ["from=2024-06-01&to=2024-06-30", "from=2023-01-01&to=2024-12-31"] {
                let history = try await client.json("history?\(range)")
                #expect((history["movies"] as? [Any])?.count == 2, "\(range)")
            }
        }
        await worker.end()
    }

    @Test("a movie on two lines of a chart counts once in histories, and the chart has both lines")
    func twice() async throws {
        let harness = try BoardHarness()
        let worker = try await harness.startPublisher()
        let chart = try Sample.chart("2024-06-04", "ABA")
        try await worker.publish(Sample.topic(chart), chart)
        try await harness.open { address in
            let client = BoardClient(address: address)
            for range in ["from=2024-06-01&to=2024-06-30", "from=2023-01-01&to=2024-12-31"] {
                let films = try #require(try await client.json("history?\(range)")["movies"] as? [[String: Any]])
                let points = films.compactMap { $0["points"] as? [[Any]] }
                #expect(points.map(\.count) == [1, 1], "\(range)")
                #expect((points.first?.first?.last as? Int) == 1_000, "\(range)")
            }
            #expect((try await client.json("movies/AAAAAAAA")["run"] as? [Any])?.count == 1)
            let shown = try #require(try await client.json("days/2024-06-04")["chart"] as? [String: Any])
            #expect((shown["entries"] as? [Any])?.count == 3)
        }
        await worker.end()
    }

    @Test("the files of the first page are less than 60 kB compressed")
    func weight() throws {
        let files = try BoardRouter.files(in: try BoardHarness.webFolder, basePath: .root)
        let page = String(decoding: try #require(files["index.html"]).content.bytes, as: UTF8.self)
        let names = page.matches(of: /(?:href|src)="([^"\/][^"]*)"/).map { String($0.output.1) }
        #expect(names.contains("app.js") && names.contains("board.css"))
        let sizes = try (names + ["index.html"]).map { name in
            let file = try #require(files[name], "\(name)")
            return file.gzipped?.count ?? file.content.count
        }
        #expect(sizes.reduce(0, +) < 60_000)
    }

    @Test("the web files are found for an installed program, and for one in a build folder")
    func folders() throws {
        let folder = try TemporaryFolder()
        for path in ["usr/share/marquee/web", "src/Sources/Board/Web", "src/.build/release"] {
            try FileManager.default.createDirectory(atPath: folder.file(path), withIntermediateDirectories: true)
        }
        for path in ["usr/share/marquee/web", "src/Sources/Board/Web"] {
            try Data("<html>".utf8).write(to: URL(filePath: folder.file("\(path)/index.html")))
        }
        #expect(try AssetFolder.find(above: folder.file("usr/bin/marquee")) == folder.file("usr/share/marquee/web"))
        #expect(
            try AssetFolder.find(above: folder.file("src/.build/release/marquee"))
                == folder.file("src/Sources/Board/Web")
        )
        #expect(throws: AssetFolder.AssetFolderError.self) { try AssetFolder.find(above: "/nowhere/marquee") }
    }

    @Test("CSV escapes quotes, and titles that a spreadsheet would run as formulas")
    func csv() {
        let line = HistoryLine(
            day: "2024-06-04", code: "20247710", title: "=1+\"1\"", line: 1, rank: nil, audience: 55_206,
            audienceTotal: nil, sales: nil, screens: 892, showings: 3_035)
        let lines = String(decoding: CSV.table(of: [line]), as: UTF8.self).split(separator: "\r\n")
        // U+0D4E and U+0301 join the quotes beside them to one character.
        let hidden = HistoryLine(
            day: "2024-06-04", code: "20247710", title: "x\u{D4E}\",=1+1,\"\u{301}y", line: 1, rank: nil,
            audience: nil, audienceTotal: nil, sales: nil, screens: nil, showings: nil)
        let table = String(decoding: CSV.table(of: [hidden]), as: UTF8.self)
        #expect(Array(table.utf8).contains(Array("\"x\u{D4E}\"\",=1+1,\"\"\u{301}y\",,".utf8)))
        #expect(lines.last == "2024-06-04,1,,20247710,\"'=1+\"\"1\"\"\",55206,,,892,3035")
        #expect(lines.first?.hasPrefix("\u{FEFF}date,line,rank,") == true)
    }

    @Test("answers have security headers, compression and ETags; the page has many addresses, each file has one")
    func routes() async throws {
        let harness = try BoardHarness()
        let worker = try await harness.startPublisher()
        var options = BoardProcess.Options()
        options.basePath = try #require(BasePath("/marquee"))
        try await harness.open(options) { address in
            let client = BoardClient(address: address)
            for path in ["/marquee", "/marquee/", "/marquee/day/2024-06-04", "/marquee/movie/20234675"] {
                let page = try await client.get(path)
                #expect(page.status == 200 && page["Content-Type"] == "text/html;charset=UTF-8", "\(path)")
                let policy = page["Content-Security-Policy"] ?? ""
                #expect(policy.hasPrefix("default-src 'none'; script-src 'self'") && !policy.contains("unsafe"))
            }
            let style = try await client.get("/marquee/board.css")
            let tag = try #require(style["ETag"])
            #expect(style["Content-Encoding"] == "gzip")
            let again = try await client.get("/marquee/board.css", headers: [HTTPField("If-None-Match", tag)])
            #expect(again.status == 304 && again.body.isEmpty)
            for path in [
                "/", "/marquee/none.js", "/marquee/../board.css", "/marquee/..%2fboard.css",
                "/marquee/.%2e/Board.swift",
                "/marquee//etc/passwd.txt", "/etc/passwd",
            ] {
                #expect(try await client.get(path).status == 404, "\(path)")
            }
            let known = try #require(try await client.get("/marquee/")["ETag"])
            let missing = try await client.get("/marquee/none", headers: [HTTPField("If-None-Match", known)])
            #expect(missing.status == 404 && String(decoding: missing.body, as: UTF8.self).contains("app.js"))
            #expect(try await client.get("/marquee/robots.txt").status == 200)
            #expect(try await client.get("/healthz").status == 200)
            #expect(try await client.get("/marquee/board.css", .delete).status == 405)
        }
        await worker.end()
    }

    @Test("a load balancer may ask with OPTIONS, under any name and below no base path; other addresses refuse it")
    func options() async throws {
        let harness = try BoardHarness()
        let worker = try await harness.startPublisher()
        var options = BoardProcess.Options()
        options.basePath = try #require(BasePath("/marquee"))
        try await harness.open(options) { address in
            // A heartbeat may come after the log.
            try await waitUntil("the board is ready") {
                try await RawClient.get(address, "/readyz").hasPrefix("HTTP/1.1 200 ")
            }
            for (path, host, status) in [
                ("/", "lb.example", 200), ("/healthz", "lb.example", 200), ("/readyz", "lb.example", 200),
                ("/marquee/", "localhost", 405), ("/marquee/", "lb.example", 421),
            ] {
                let answer = try await RawClient.talk(
                    to: address, "OPTIONS \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(path)")
            }
        }
        await worker.end()
    }

    @Test(
        "an invalid request gets the contract's error object",
        arguments: [
            ("days/2024-6-4", 400, "badRequest"), ("days/2003-11-10", 400, "dateOutOfRange"),
            ("days/2024-06-04?market=nation-X", 400, "badRequest"), ("calendar/24", 400, "badRequest"),
            ("movies/lower123", 400, "badRequest"), ("movies", 404, "notFound"),
            ("posters/20234675/abc?size=huge", 400, "badRequest"), ("posters/20234675/abc", 404, "notFound"),
            ("history?from=2024-01-01", 400, "badRequest"),
            ("history?from=2024-01-02&to=2024-01-01", 400, "badRequest"),
            ("alerts?limit=0", 400, "badRequest"), ("alerts?before=7", 400, "badRequest"), ("nothing", 404, "notFound"),
            ("alerts?rule=\(longWord)", 400, "badRequest"),
            ("alerts?movie=\(longWord)", 400, "badRequest"),
        ])
    func refusals(path: String, status: Int, word: String) async throws {
        let harness = try BoardHarness()
        let worker = try await harness.startPublisher()
        try await harness.open { address in
            let response = try await BoardClient(address: address).get("/api/v1/\(path)")
            #expect(response.status == status)
            #expect(try response.failure.code == word)
        }
        await worker.end()
    }
}

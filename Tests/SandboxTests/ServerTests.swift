import BoxOffice
import Foundation
import Imaging
import TestSupport
import Testing

@testable import Sandbox

private let noon = Date(timeIntervalSince1970: 1_717_556_400)  // 2024-06-05 12:00 in Korea

/// A server on a port of its own, lent to `body`.
private func withServer(
    _ faults: [String] = [], recordings: String? = nil,
    _ body: (SandboxServer, _ daily: String) async throws -> Void
) async throws {
    var options = SandboxOptions()
    options.address = "127.0.0.1:0"
    options.recordings = recordings
    for fault in faults { try options.faults.set(fault) }
    let server = try SandboxServer(options: options, now: { noon })
    let path = "/kobisopenapi/webservice/rest/boxoffice/searchDailyBoxOfficeList.json"
    do {
        try await body(server, "\(path)?key=\(SandboxOptions.anyKobisKey)&targetDt=20240604")
    } catch {
        await server.shutdown()
        throw error
    }
    await server.shutdown()
}

struct ServerTests {
    @Test("a chart, a search and a picture come over HTTP", .timeLimit(.minutes(5)))
    func wholeWay() async throws {
        try await withServer { server, daily in
            let chart = try await Visit(server.address, daily)
            #expect(chart.status == 200 && chart.text.hasPrefix(#"{"boxOfficeResult""#))
            let movie = try #require(
                World(seed: 1).movies(openingIn: ReleaseWeek(number: 2_837)).first { $0.imageCount > 0 })
            let query = movie.plainTitle.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let search = try await Visit(
                server.address, "/v2/search/image?query=\(query)", fields: ["Authorization: KakaoAK x"])
            #expect(search.text.contains("http://\(server.address)/posters/\(movie.code)-1."))
            let poster = try #require(movie.poster)
            let image = try await Visit(server.address, poster.imagePath)
            let header = try #require(ImageHeader.read(image.body))
            #expect(header.format == (poster.isPNG ? .png : .jpeg))
            #expect(header.width == poster.width && header.height == poster.height)
            #expect(try await Visit(server.address, "/posters/\(movie.code).jpg").body == image.body)
            let thumbnail = try await Visit(server.address, poster.thumbnailPath)
            #expect(ImageHeader.read(thumbnail.body)?.width == 130)
        }
    }

    @Test("the control path sets switches, shows them with the counters, and goes back", .timeLimit(.minutes(5)))
    func control() async throws {
        try await withServer(["kobis.notice=1"]) { server, daily in
            #expect(try await Visit(server.address, daily).text.hasPrefix("<!DOCTYPE html>"))
            let put = try await Visit(
                server.address, "/control", method: "PUT",
                body: #"{"kobis":{"errors":{"503":1},"retryAfter":7,"times":2}}"#)
            #expect(put.status == 200)
            for _ in 0..<2 {
                let answer = try await Visit(server.address, daily)
                #expect(answer.status == 503 && answer.head.lowercased().contains("retry-after: 7"))
            }
            #expect(try await Visit(server.address, daily).text.hasPrefix(#"{"boxOfficeResult""#))
            let state = try await Visit(server.address, "/control").text
            #expect(state.contains(#"searchDailyBoxOfficeList.json":4"#))
            #expect(state.contains(#""calls":{"kobis":1}"#))
            let refused = try await Visit(server.address, "/control", method: "PUT", body: #"{"kobis":{"speed":1}}"#)
            #expect(refused.status == 400 && refused.text.contains("kobis.speed"))
            #expect(try await Visit(server.address, "/control", method: "PUT", body: "[]").status == 400)
            let reset = try await Visit(server.address, "/control", method: "DELETE")
            #expect(reset.text.contains(#""kobis":{"notice":1.0}"#) && reset.text.contains(#""requests":{}"#))
        }
    }

    @Test("bodies are cut, grow beyond measure, or are faults, as ordered", .timeLimit(.minutes(5)))
    func bodies() async throws {
        try await withServer(["kobis.truncated=1"]) { server, daily in
            let answer = try await Visit(server.address, daily)
            #expect(answer.isCut)
        }
        try await withServer(["kobis.giant=1", "kobis.giantSize=3000000"]) { server, daily in
            let answer = try await Visit(server.address, daily)
            #expect(answer.body.count == 3_000_000)
        }
        try await withServer(["kobis.faults.320011=1", "kobis.latency=1"]) { server, daily in
            let answer = try await Visit(server.address, daily)
            #expect(answer.body == KobisError.quotaExhausted.body)
        }
        try await withServer(["images.dead=1"]) { server, _ in
            let answer = try await Visit(server.address, "/posters/20240001.jpg")
            #expect(answer.status == 404)
        }
    }

    @Test("who hangs is let go when the sandbox stops", .timeLimit(.minutes(5)))
    func hang() async throws {
        var options = SandboxOptions()
        options.address = "127.0.0.1:0"
        try options.faults.set("kobis.hang=1")
        let server = try SandboxServer(options: options, now: { noon })
        async let visit = Visit(server.address, "/kobisopenapi/webservice/rest/movie/searchMovieInfo.json")
        var isWaiting = false
        while !isWaiting {
            isWaiting = try await Visit(server.address, "/control").text.contains("searchMovieInfo.json\":1")
        }
        await server.shutdown()
        #expect(try await visit.status == 503)
    }

    @Test("a server runs until its task is cancelled", .timeLimit(.minutes(5)))
    func run() async throws {
        var options = SandboxOptions()
        options.address = "127.0.0.1:0"
        let server = try SandboxServer(options: options, now: { noon })
        let task = Task { await server.run() }
        #expect(try await Visit(server.address, "/healthz").status == 200)
        task.cancel()
        await task.value
        await #expect(throws: (any Error).self) { try await Visit(server.address, "/healthz") }
    }

    @Test("an address in use and a folder without recordings are errors")
    func badStarts() async throws {
        try await withServer { server, _ in
            var options = SandboxOptions()
            options.address = server.address
            #expect(throws: SandboxError.self) { try SandboxServer(options: options) }
        }
        let folder = try TemporaryFolder()
        var options = SandboxOptions()
        options.recordings = folder.path
        #expect(throws: SandboxError.noRecordings(path: folder.path)) { try SandboxServer(options: options) }
    }
}

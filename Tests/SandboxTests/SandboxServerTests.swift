import BoxOffice
import Foundation
import Imaging
import TestSupport
import Testing

@testable import Sandbox

private let noon = Date(timeIntervalSince1970: 1_717_556_400)  // 2024-06-05 12:00 in Korea

/// Runs `body` with a server on a free port.
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

struct SandboxServerTests {
    @Test("charts, searches and images are served over HTTP", .patience)
    func services() async throws {
        try await withServer { server, daily in
            let chart = try await HTTPExchange(server.address, daily)
            #expect(chart.status == 200 && chart.text.hasPrefix(#"{"boxOfficeResult""#))
            let movie = try #require(
                World(seed: 1).movies(openingIn: ReleaseWeek(number: 2_837)).first { $0.imageCount > 0 })
            let query = movie.plainTitle.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let search = try await HTTPExchange(
                server.address, "/v2/search/image?query=\(query)", fields: ["Authorization: KakaoAK x"])
            #expect(search.text.contains("http://\(server.address)/posters/\(movie.code)-1."))
            let poster = try #require(movie.poster)
            let image = try await HTTPExchange(server.address, poster.imagePath)
            let header = try #require(ImageHeader.read(image.body))
            #expect(header.format == (poster.isPNG ? .png : .jpeg))
            #expect(header.width == poster.width && header.height == poster.height)
            #expect(try await HTTPExchange(server.address, "/posters/\(movie.code).jpg").body == image.body)
            let thumbnail = try await HTTPExchange(server.address, poster.thumbnailPath)
            #expect(ImageHeader.read(thumbnail.body)?.width == 130)
        }
    }

    @Test("/control sets switches, returns them with the counters, and resets them", .patience)
    func control() async throws {
        try await withServer(["kobis.notice=1"]) { server, daily in
            #expect(try await HTTPExchange(server.address, daily).text.hasPrefix("<!DOCTYPE html>"))
            let put = try await HTTPExchange(
                server.address, "/control", method: "PUT",
                body: #"{"kobis":{"errors":{"503":1},"retryAfter":7,"times":2}}"#)
            #expect(put.status == 200)
            for _ in 0..<2 {
                let response = try await HTTPExchange(server.address, daily)
                #expect(response.status == 503 && response.head.lowercased().contains("retry-after: 7"))
            }
            #expect(try await HTTPExchange(server.address, daily).text.hasPrefix(#"{"boxOfficeResult""#))
            let state = try await HTTPExchange(server.address, "/control").text
            #expect(state.contains(#"searchDailyBoxOfficeList.json":4"#))
            #expect(state.contains(#""calls":{"kobis":1}"#))
            let rejected = try await HTTPExchange(
                server.address, "/control", method: "PUT", body: #"{"kobis":{"speed":1}}"#)
            #expect(rejected.status == 400 && rejected.text.contains("kobis.speed"))
            #expect(try await HTTPExchange(server.address, "/control", method: "PUT", body: "[]").status == 400)
            let reset = try await HTTPExchange(server.address, "/control", method: "DELETE")
            #expect(reset.text.contains(#""faults":{"kobis.notice":1}"#) && reset.text.contains(#""requests":{}"#))
        }
    }

    @Test("injected faults truncate bodies, enlarge them or replace them by errors", .patience)
    func bodies() async throws {
        try await withServer(["kobis.truncated=1"]) { server, daily in
            let response = try await HTTPExchange(server.address, daily)
            #expect(response.isTruncated)
        }
        try await withServer(["kobis.giant=1", "kobis.giantSize=3000000"]) { server, daily in
            let response = try await HTTPExchange(server.address, daily)
            #expect(response.body.count == 3_000_000)
        }
        try await withServer(["kobis.faults.320011=1", "kobis.latency=1"]) { server, daily in
            let response = try await HTTPExchange(server.address, daily)
            #expect(response.body == SimulatedKobisError.quotaExhausted.body)
        }
        try await withServer(["images.dead=1"]) { server, _ in
            let response = try await HTTPExchange(server.address, "/posters/20240001.jpg")
            #expect(response.status == 404)
        }
    }

    @Test("a hanging request ends when the sandbox stops", .patience)
    func hang() async throws {
        var options = SandboxOptions()
        options.address = "127.0.0.1:0"
        try options.faults.set("kobis.hang=1")
        let server = try SandboxServer(options: options, now: { noon })
        async let hanging = HTTPExchange(server.address, "/kobisopenapi/webservice/rest/movie/searchMovieInfo.json")
        try await waitUntil("the request hangs") {
            try await HTTPExchange(server.address, "/control").text
        } is: {
            $0.contains("searchMovieInfo.json\":1")
        }
        await server.shutdown()
        #expect(try await hanging.status == 503)
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

import Foundation
import Networking
import TestSupport
import Testing

extension PublishedEvents {
    /// Facts and posters.
    struct MovieTests {
        @Test("a requested movie is published once, with its facts and its poster")
        func movie() async throws {
            try await ProcessHarness.run { harness, client in
                let line = try await leader(client)
                let outcome = try await client.request("fetch.movie", ["code": line["movieCode"]])
                #expect(outcome.isDone && outcome.end.data["problems"] == [])
                let code = try #require(line["movieCode"].text)
                try #require(outcome.events.map(\.topic) == ["movie.\(code)", "poster.\(code)"])

                let movie = outcome.events[0].data
                #expect(movie["code"] == line["movieCode"] && movie["title"] == line["title"])
                #expect(movie["openDate"] == line["openDate"])

                let poster = outcome.events[1].data
                #expect(poster["found"] == true && poster["source"] == "kakao")
                let title = try #require(line["title"].text)
                #expect(poster["title"] == line["title"] && (poster["hit"].number ?? 0) >= 1)
                let query = try #require(poster["query"].text)
                #expect(query.hasPrefix(title) && query.hasSuffix(" 영화 포스터"))
                #expect(poster["imageURL"].text?.contains("/posters/\(code)-") == true)
                let picture = try await download(try #require(poster["imageURL"].text))
                #expect(poster["bytes"] == .number(Double(picture.count)))
                let file = harness.folder.file("picture")
                try picture.write(to: URL(filePath: file))
                let sum = try await Program.run("/usr/bin/sha256sum", [file])
                #expect(poster["sha256"].text.map { sum.output[0].hasPrefix($0) } == true)
                #expect((poster["width"].number ?? 0) > 100 && (poster["height"].number ?? 0) > 100)

                let again = try await client.request("fetch.movie", ["code": line["movieCode"]])
                #expect(again.end.data["from"] == "log" && again.end.data["events"] == outcome.end.data["events"])
            }
        }

        @Test("a movie can be requested without its poster")
        func withoutPoster() async throws {
            try await ProcessHarness.run { harness, client in
                let outcome = try await client.request(
                    "fetch.movie", ["code": try await leader(client)["movieCode"], "poster": false])
                #expect(outcome.isDone && outcome.events.count == 1 && client.events("poster.").isEmpty)
                #expect(try await harness.requests(for: "/v2/search/image") == 0)
            }
        }

        @Test("a thumbnail replaces deleted images, and without one there is no poster")
        func deadPictures() async throws {
            try await ProcessHarness.run { harness, client in
                let request = ["code": try await leader(client)["movieCode"], "refresh": true]
                try await harness.setFaults(["images": ["dead": 1]])
                let none = try #require(try await client.request("fetch.movie", request).events.last)
                #expect(none.data["found"] == false)
                #expect(none.data["imageURL"] == nil && none.data["query"] != nil)

                // As many as there are candidates are dead; then come the thumbnails.
                let candidates = try await harness.requests { $0.hasPrefix("/posters/") }
                try await harness.setFaults(["images": ["dead": 1, "times": .number(Double(candidates))]])
                let found = try #require(try await client.request("fetch.movie", request).events.last)
                #expect(found.data["found"] == true)
                #expect(found.data["imageURL"].text?.contains("/thumbnails/") == true)
                #expect(found.data["imageURL"] == found.data["thumbnailURL"])
                #expect(found.body["previous"] == none.body["sequence"])
            }
        }

        @Test("without a Kakao key the facts are published, and the poster is reported as a problem")
        func noKakaoKey() async throws {
            try await ProcessHarness.run(settings: ["MARQUEE_KAKAO_KEY": ""]) { _, client in
                let outcome = try await client.request("fetch.movie", ["code": try await leader(client)["movieCode"]])
                #expect(outcome.isDone && outcome.events.count == 1)
                let problem = outcome.end.data["problems"][0]
                #expect(problem["code"] == "unauthorized" && problem["retryable"] == false)
                #expect(problem["upstream"] == ["service": "kakao", "status": nil, "code": nil])
                #expect(client.events("poster.").isEmpty)
            }
        }

        @Test("images on private addresses are not fetched unless that is allowed")
        func privatePictures() async throws {
            try await ProcessHarness.run(settings: ["MARQUEE_PRIVATE_IMAGES": ""]) { harness, client in
                let outcome = try await client.request("fetch.movie", ["code": try await leader(client)["movieCode"]])
                #expect(outcome.isDone && outcome.events.last?.data["found"] == false)
                #expect(try await harness.requests { $0.hasPrefix("/posters/") || $0.hasPrefix("/thumbnails/") } == 0)
            }
        }

        @Test(
            "an operator rejects a poster and gives another one, which the worker keeps over a restart",
            arguments: ["SIGTERM", "SIGKILL"])
        func operatorsChoice(signal: String) async throws {
            try await ProcessHarness.run { harness, client in
                let code = try #require(try await leader(client)["movieCode"].text)
                let early = try await harness.marquee("poster", code)
                #expect(early.status == 1 && early.errors.joined().contains("`marquee request movie \(code)`"))
                let first = try #require(
                    try await client.request("fetch.movie", ["code": .text(code)]).events.last)
                let url = try #require(first.data["imageURL"].text)
                let shown = try await harness.lines("poster", code)
                #expect(shown.first == "Poster  \(url)")
                let hit = try #require(first.data["hit"].number)
                #expect(shown.contains("        search  \(first.data["query"].text ?? "") · hit \(Int(hit))"))

                let rejected = try await harness.marquee("poster", code, "--reject", "--json")
                #expect(rejected.status == 0, "\(rejected.errors)")
                let next = try JSON(try #require(rejected.output.last))
                #expect(next["topic"] == nil && next["type"] == "marquee.poster.v1")
                #expect(next["previous"] == first.body["sequence"])
                // Not always a later hit: an earlier one may not have come in time before.
                #expect(next["data"]["found"] == true && next["data"]["imageURL"].text != url)
                try await harness.restart(.worker, by: signal == "SIGKILL" ? SIGKILL : SIGTERM)
                try await client.waitForHeartbeat(of: .worker)
                let request: [String: JSON] = ["code": .text(code), "refresh": true]
                let later = try await client.request("fetch.movie", request)
                #expect(later.events.last?.data == next["data"])

                let gone = try await harness.marquee("poster", code, "http://\(harness.sandboxAddress)/gone.jpg")
                #expect(gone.status == 1 && gone.errors.first?.hasPrefix("marquee: notFound") == true, "\(gone)")
                let chosen = try await harness.marquee("poster", code, url)
                #expect(chosen.status == 0 && chosen.output.contains("        chosen by the operator"), "\(chosen)")
                try await harness.restart(.worker, by: signal == "SIGKILL" ? SIGKILL : SIGTERM)
                try await client.waitForHeartbeat(of: .worker)
                let searches = try await harness.requests(for: "/v2/search/image")
                let kept = try #require(try await client.request("fetch.movie", request).events.last)
                #expect(kept.data["imageURL"].text == url && kept.data["source"] == "operator")
                #expect(try await harness.requests(for: "/v2/search/image") == searches)
            }
        }

        @Test("an unknown movie code is not found")
        func unknown() async throws {
            try await ProcessHarness.run { _, client in
                let outcome = try await client.request("fetch.movie", ["code": "00000000"])
                #expect(outcome.error["code"] == "notFound" && outcome.error["retryable"] == false)
                #expect(outcome.error["upstream"] == ["service": "kobis", "status": 200, "code": nil])
            }
        }

        /// The first line of a chart.
        private func leader(_ client: Client) async throws -> JSON {
            try #require(try await client.day("2024-06-04").events.first).data["entries"][0]
        }

        private func download(_ url: String) async throws -> Data {
            let client = HTTPClient()
            let data = try await client.send(APICall<Data>(service: "sandbox", request: HTTPRequest(url)) { $0.body })
            await client.shutdown()
            return data
        }
    }
}

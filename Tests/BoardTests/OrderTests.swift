import Contract
import Foundation
import Imaging
import Networking
import ServiceRuntime
import TestSupport
import Testing
import WebServer

@testable import Board

/// Sessions, and the requests to change products that the board forwards to the worker.
@Suite(.patience) struct OrderTests {
    private static let password = "correct-horse-7"
    private static let product = """
        {"topic":"product.register","name":"겨울 외투","description":"따뜻하고 가벼운 외투입니다","price":15000,\
        "discountedPrice":1000,"currency":"KRW","stock":3,"secret":"shall-not-pass"}
        """
    private let harness: BoardHarness

    init() throws {
        harness = try BoardHarness(["MARQUEE_BOARD_PASSWORD": Self.password])
    }

    /// Starts a board, signs a client in, and calls `body` with it.
    private func withSignedInClient(_ body: @Sendable (BoardClient, BoardHarness.LogPublisher) async throws -> Void)
        async throws
    {
        let worker = try await harness.startPublisher()
        try await harness.open { address in
            var client = BoardClient(address: address)
            let answer = try await client.post("session", #"{"password":"\#(Self.password)"}"#)
            let cookie = try #require(answer["Set-Cookie"]?.split(separator: ";").first)
            client.headers = [HTTPField("Cookie", "other=1; \(cookie)")]
            try await body(client, worker)
        }
        await worker.end()
    }

    @Test("without a configured password nobody can sign in or change products")
    func off() async throws {
        let harness = try BoardHarness()
        let worker = try await harness.startPublisher()
        try await harness.open { address in
            let client = BoardClient(address: address)
            #expect(try await client.json("shop")["canBeWritten"] as? Bool == false)
            #expect(try await client.post("session", #"{"password":""}"#).status == 404)
            for topic in ["register", "modify", "remove"] {
                let answer = try await client.post("requests", #"{"topic":"product.\#(topic)","product":1}"#)
                #expect(answer.status == 401)
                #expect(try answer.failure.code == "unauthorized")
            }
        }
        #expect(worker.accepted.isEmpty)
        await worker.end()
    }

    @Test("the password begins a session, whose cookie no script and no other site can use; signing out ends it")
    func sessions() async throws {
        let worker = try await harness.startPublisher()
        var options = BoardProcess.Options()
        options.basePath = try #require(BasePath("/marquee/"))
        try await harness.open(options) { address in
            var client = BoardClient(address: address)
            func isSignedIn() async throws -> Bool? {
                let answer = try await client.get("/marquee/api/v1/shop")
                return (try JSONSerialization.jsonObject(with: answer.body) as? [String: Bool])?["isSignedIn"]
            }
            let json = HTTPField("Content-Type", "application/json")
            func begin(_ password: String, _ more: HTTPField...) async throws -> HTTPResponse {
                try await client.get(
                    "/marquee/api/v1/session", .post, headers: [json] + more,
                    body: Array(#"{"password":"\#(password)"}"#.utf8))
            }
            let wrong = try await begin("correct-horse-8")
            #expect(wrong.status == 401 && wrong["Set-Cookie"] == nil)
            #expect(try wrong.failure == ("unauthorized", "password"))
            #expect(try await isSignedIn() == false)
            let cookie = try #require(try await begin(Self.password)["Set-Cookie"])
            for word in ["; Path=/marquee/", "; Max-Age=43200", "; HttpOnly", "; SameSite=Strict"] {
                #expect(cookie.contains(word))
            }
            #expect(!cookie.contains("Secure"))
            let behindProxy = try await begin(Self.password, HTTPField("X-Forwarded-Proto", "https"))
            #expect(behindProxy["Set-Cookie"]?.hasSuffix("; Secure") == true)
            client.headers = [HTTPField("Cookie", String(cookie.prefix { $0 != ";" }))]
            #expect(try await isSignedIn() == true)
            let end = try await client.get("/marquee/api/v1/session", .delete)
            #expect(end["Set-Cookie"]?.contains("Max-Age=0") == true)
            #expect(try await isSignedIn() == false)
        }
        #expect(!harness.log.withLock { $0 }.contains("correct-horse"))
        await worker.end()
    }

    @Test("after ten wrong passwords each of that address is refused for some seconds, and none of another address")
    func attempts() async throws {
        let harness = try BoardHarness([
            "MARQUEE_BOARD_PASSWORD": Self.password, "MARQUEE_BOARD_PROXIES": "127.0.0.1",
        ])
        let worker = try await harness.startPublisher()
        try await harness.open(clock: ManualClock()) { address in
            var client = BoardClient(address: address)
            client.headers = [HTTPField("X-Forwarded-For", "203.0.113.9, 198.51.100.7")]
            for _ in 1...10 {
                #expect(try await client.post("session", #"{"password":"wrong"}"#).status == 401)
            }
            let answer = try await client.post("session", #"{"password":"\#(Self.password)"}"#)
            #expect(answer.status == 429 && answer["Retry-After"] == "6" && answer["Set-Cookie"] == nil)
            client.headers = [HTTPField("X-Forwarded-For", "198.51.100.7, 203.0.113.9")]
            // The right password does not count.
            for _ in 1...11 {
                #expect(try await client.post("session", #"{"password":"\#(Self.password)"}"#).status == 200)
            }
            let cookie = try await client.post("session", #"{"password":"\#(Self.password)"}"#)["Set-Cookie"] ?? ""
            client.headers.append(HTTPField("Cookie", String(cookie.prefix { $0 != ";" })))
            let figures = try Exposition(String(decoding: try await client.get("/metrics").body, as: UTF8.self))
            #expect(figures["marquee_board_refused_total", ["code": "unauthorized"]] == 10)
            #expect(figures["marquee_board_refused_total", ["code": "overloaded"]] == 1)
        }
        let log = harness.log.withLock { $0 }
        #expect(log.contains("visitor signed in") && log.contains("address=203.0.113.9"))
        #expect(log.contains("sign-in refused") && log.contains("address=198.51.100.7"))
        await worker.end()
    }

    @Test("a session ends after twelve hours; one more attempt is allowed every six seconds")
    func time() throws {
        let clock = ManualClock()
        let sessions = BoardSessions(password: Secret(Self.password), clock: clock)
        let token = try sessions.begin(password: Self.password, from: nil)
        for _ in 1...10 { #expect(throws: ContractError.self) { try sessions.begin(password: "wrong", from: nil) } }
        #expect(throws: ContractError.self) { try sessions.begin(password: Self.password, from: nil) }
        clock.advance(by: .seconds(6))
        let other = try sessions.begin(password: Self.password, from: nil)
        #expect(other != token && sessions.isOpen(token) && sessions.isOpen(other))
        clock.advance(by: .seconds(12 * 3_600 - 6))
        #expect(!sessions.isOpen(token) && sessions.isOpen(other))
        #expect(!sessions.isOpen(nil) && !sessions.isOpen(""))
    }

    @Test("a framed body is split into its frames, and refused if the lengths do not fit")
    func frames() throws {
        #expect(try FramedBody.frames([0, 0, 0, 2, 7, 8, 0, 0, 0, 0]) == [[7, 8], []])
        #expect(try FramedBody.frames([]) == [])
        for body: [UInt8] in [
            [0, 0, 0], [0, 0, 0, 9, 1], [0xFF, 0xFF, 0xFF, 0xFF, 1], [UInt8](repeating: 0, count: 68),
        ] {
            #expect(throws: ContractError.self) { try FramedBody.frames(body) }
        }
    }

    @Test("with the compose file's memory the largest upload arrives, one at a time, and strangers have less than that")
    func memory() {
        let limits = HTTPServer.Limits.board(MemoryBudget(total: 256 << 20))
        #expect((FramedBody.limit..<2 * FramedBody.limit).contains(limits.uploads))
        #expect((limits.body..<FramedBody.limit / 2).contains(limits.bodies))
    }

    @Test("an order is forwarded with its images, and without a secret in its body")
    func orders() async throws {
        let images = [Bitmap(width: 30, height: 20).encodePNG(), Bitmap(width: 20, height: 30).encodeJPEG()]
        try await withSignedInClient { client, worker in
            let answers = [
                try await client.order(Self.product, images: images),
                try await client.post("requests", #"{"topic":"product.remove","product":7}"#),
            ]
            #expect(answers.map(\.status) == [202, 202])
            let requests = worker.accepted
            #expect(requests.map { String(decoding: $0[0], as: UTF8.self) } == ["product.register", "product.remove"])
            #expect(Array(requests[0].dropFirst(2)) == images)
            let body = String(decoding: requests[0][1], as: UTF8.self)
            #expect(body.contains("겨울 외투") && body.contains("\"id\":\"board-") && !body.contains("secret"))
        }
        #expect(!harness.log.withLock { $0 }.contains("shall-not-pass"))
    }

    @Test("who is signed in replaces a poster, and nobody else does")
    func posters() async throws {
        try await withSignedInClient { client, worker in
            let stranger = BoardClient(address: client.address)
            for body in [#"{"topic":"poster","code":"20240001","reject":true}"#, #"{"topic":"poster"}"#] {
                #expect(try await stranger.post("requests", body).status == 401)
            }
            for fields in [#""reject":true"#, #""url":"http://a.kr/1""#] {
                let answer = try await client.post("requests", #"{"topic":"poster","code":"20240001",\#(fields)}"#)
                #expect(answer.status == 202)
            }
            for fields in ["", #","reject":false"#, #","url":7"#] {
                let answer = try await client.post("requests", #"{"topic":"poster","code":"20240001"\#(fields)}"#)
                #expect(try answer.status == 400 && answer.failure == ("badRequest", "body"))
            }
            let requests = worker.accepted
            #expect(requests.map { String(decoding: $0[0], as: UTF8.self) } == ["poster", "poster"])
            let bodies = requests.map { String(decoding: $0[1], as: UTF8.self) }
            #expect(bodies.allSatisfy { $0.contains(#""code":"20240001""#) && $0.contains(#""id":"board-"#) })
            #expect(bodies.map { $0.contains(#""reject":true"#) } == [true, false])
            #expect(bodies.map { $0.contains(#""url":"http:"#) } == [false, true])
        }
    }

    @Test("the board refuses an order that breaks a rule, and names the field")
    func rules() async throws {
        let image = Bitmap(width: 30, height: 20).encodePNG()
        func with(_ field: String, _ value: String) -> String {
            let parts = Self.product.split(separator: ",", omittingEmptySubsequences: false)
            return parts.map { $0.hasPrefix("\"\(field)\":") ? "\"\(field)\":\(value)" : String($0) }.joined(
                separator: ",")
        }
        let cases: [(body: String, images: [[UInt8]], field: String)] = [
            (with("name", "\"외투\""), [image], "name"), (with("description", "\"짧아요\""), [image], "description"),
            (with("price", "0"), [image], "price"), (with("discountedPrice", "15001"), [image], "discountedPrice"),
            (with("stock", "-1"), [image], "stock"), (with("currency", "\"EUR\""), [image], "currency"),
            (Self.product, [], "images"), (Self.product, Array(repeating: image, count: 6), "images"),
            (Self.product, [image, [UInt8](repeating: 0, count: 10 << 20)], "images[1]"),
        ]
        try await withSignedInClient { client, worker in
            for (body, images, field) in cases {
                let answer = try await client.order(body, images: images)
                #expect(answer.status == 400, "\(field)")
                #expect(try answer.failure == ("badRequest", field))
            }
            #expect(worker.accepted.isEmpty)
        }
    }

    @Test("without a session nothing is uploaded, and pages of other sites cannot order")
    func requestsWithoutSession() async throws {
        try await withSignedInClient { client, worker in
            let signedOut = BoardClient(address: client.address)
            let large = [UInt8](repeating: 0, count: 1 << 20)
            #expect(try await Self.refusal { try await signedOut.order(Self.product, images: [large]) }.status == 413)
            #expect(try await signedOut.order(Self.product, images: [[1]]).status == 401)
            let order = #"{"topic":"product.remove","product":7}"#
            for site in ["cross-site", "same-site", "none"] {
                let answer = try await client.post("requests", order, headers: [HTTPField("Sec-Fetch-Site", site)])
                #expect(answer.status == 403, "\(site)")
            }
            let form = try await client.get(
                "/api/v1/requests", .post, headers: [HTTPField("Content-Type", "text/plain")], body: Array(order.utf8))
            #expect(form.status == 400)
            #expect(worker.accepted.isEmpty)
        }
    }

    @Test("visitors get no refresh and a share of the day, and foreign names and origins nothing")
    func visitors() async throws {
        let body = #"{"topic":"fetch.day","date":"2024-06-04","refresh":true}"#
        let harness = try BoardHarness([
            "MARQUEE_BOARD_PASSWORD": "correct-horse", "MARQUEE_BOARD_REQUESTS_A_DAY": "2",
        ])
        let worker = try await harness.startPublisher()
        try await harness.open { address in
            let visitor = BoardClient(address: address)
            for status in [202, 202, 429, 429] {
                #expect(try await visitor.post("requests", body).status == status)
            }
            let requests = worker.accepted
            #expect(requests.count == 2)
            let bodies = requests.map { String(decoding: $0[1], as: UTF8.self) }
            #expect(!bodies.contains { $0.contains("refresh") })
            #expect(bodies.allSatisfy { $0.contains(#""id":"board-visitor-"#) })
            let port = try #require(address.split(separator: ":").last)
            let foreign = "evil.example:\(port)"
            for (path, status) in [("/", 421), ("/healthz", 200), ("/metrics", 421)] {
                let answer = try await visitor.get(path, headers: [HTTPField("Host", foreign)])
                #expect(answer.status == status, "\(path)")
            }
            let cross = try await visitor.post(
                "requests", body, headers: [HTTPField("Origin", "http://\(foreign)")])
            #expect(cross.status == 403)
        }
        await worker.end()
    }

    /// Sends an order that is refused by its head, and returns the response.
    ///
    /// A client without a response after a second begins to send the body, and loses the connection when the response
    /// comes then; so the order is sent again.
    private static func refusal(_ order: () async throws -> HTTPResponse) async throws -> HTTPResponse {
        let response = try await waitUntil("a response before the body") { () async throws -> HTTPResponse? in
            do {
                return try await order()
            } catch let error as UpstreamError where error.kind == .unavailable {
                return nil
            }
        } is: {
            $0 != nil
        }
        return try #require(response)
    }
}

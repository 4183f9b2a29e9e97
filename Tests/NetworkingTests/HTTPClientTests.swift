import Compression
import Foundation
import TestSupport
import Testing

@testable import Networking

@Suite(.patience)
struct HTTPClientTests {
    private let client = HTTPClient(retry: .patient)

    @Test("A request is sent unchanged, and the whole response is returned")
    func plain() async throws {
        let server = try ScriptedServer { exchange in
            exchange.answer(
                "{}", status: 201, headers: ["Content-Type:application/json", "X-Empty:", "Link: a", "link: b"])
        }
        let request = HTTPRequest(
            "\(server.url)/a/b.json", query: [HTTPField("name", "파 묘")],
            headers: [HTTPField("Authorization", "KakaoAK 1", isSecret: true), HTTPField("X-Empty", "")])
        let response = try await client.send(.raw(request))
        #expect(response.status == 201)
        #expect(response["content-TYPE"] == "application/json")
        #expect(response["X-Empty"] == "")
        #expect(response.headers.filter { $0.name.lowercased() == "link" }.map(\.value) == ["a", "b"])
        #expect(response.body == Data("{}".utf8))
        let seen = try #require(server.requests.first)
        #expect(seen.method == "GET")
        #expect(seen.target == "/a/b.json?name=%ED%8C%8C%20%EB%AC%98")
        #expect(seen["authorization"] == "KakaoAK 1")
        #expect(seen["x-empty"] == "")
        #expect(seen["user-agent"] == "marquee")
        #expect(seen["accept-encoding"] == "gzip")
    }

    @Test(
        "Every method is sent with its body and no unrequested header",
        arguments: [HTTPRequest.Method.post, .put, .patch, .delete])
    func methods(method: HTTPRequest.Method) async throws {
        let server = try ScriptedServer { $0.answer() }
        let body = String(repeating: "본문", count: 200_000)
        _ = try await client.send(.raw(HTTPRequest(server.url, method: method, body: Data(body.utf8))))
        _ = try await client.send(.raw(HTTPRequest(server.url, method: method)))
        #expect(server.requests.map(\.method) == [method.rawValue, method.rawValue])
        #expect(server.requests.map(\.body) == [body, ""])
        #expect(server.requests.allSatisfy { $0["Expect"] == nil && $0["Content-Type"] == nil })
    }

    @Test("HEAD does not wait for a body")
    func head() async throws {
        let server = try ScriptedServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n") }
        let response = try await client.send(.raw(HTTPRequest(server.url, method: .head)))
        #expect(response["Content-Length"] == "1000")
        #expect(response.body.isEmpty)
    }

    @Test("A gzip body is decompressed and any other is not, whatever the label", arguments: labels)
    func gzip(label: [String]) async throws {
        let text = #"{"movieNm":"파묘","audiCnt":"1234567"}"# + String(repeating: " ", count: 900_000)
        let packed = try #require(Gzip.compress(Array(text.utf8)))
        for body in [Array(text.utf8), packed] {
            let server = try ScriptedServer { $0.answer(body, headers: label) }
            #expect(try await client.send(.text(HTTPRequest(server.url))) == text)
        }
    }

    @Test("Gzip of several members is read, and zlib; gzip without its end is not")
    func compressed() async throws {
        let halves = try [#"{"movieNm":"파묘", "#, #""audiCnt":"1234567"}"#].map { half in
            try #require(Gzip.compress(Array((half + String(repeating: " ", count: 100)).utf8)))
        }
        let zlib: [UInt8] = [0x78, 0x9C, 0x8B, 0x36, 0xD4, 0x31, 0x8A, 0x05, 0, 0x03, 0xD5, 0x01, 0x48]
        let whole = halves[0] + halves[1]
        for (body, end) in [(whole, "}"), (zlib, "[1,2]")] {
            let server = try ScriptedServer { $0.answer(body) }
            let text = try await client.send(.text(HTTPRequest(server.url)))
            #expect(text.trimmingCharacters(in: .whitespaces).hasSuffix(end), "\(text)")
        }
        let server = try ScriptedServer { $0.answer(Array(whole.dropLast(8))) }
        let error = await failure { () async throws(UpstreamError) in
            try await client.send(.text(HTTPRequest(server.url)))
        }
        #expect(error?.kind == .invalid)
    }

    private static let labels = [
        [], ["Content-Encoding: gzip"], ["Content-Encoding: UTF-8"], ["Content-Encoding: br"],
        ["Content-Type: application/x-gzip", "Content-Disposition: attachment; filename=list.zip"],
    ]

    @Test("A URL is encoded once: what is encoded stays as it is, a fragment is not sent")
    func encoding() async throws {
        let server = try ScriptedServer { $0.answer() }
        let paths = [
            "/%c4%dd 첫눈.jpg": "/%c4%dd%20%EC%B2%AB%EB%88%88.jpg", "/100%.jpg": "/100%25.jpg",
            "/?u=http%3A%2F%2Fb.kr%2F%25ED&x=눈#눈": "/?u=http%3A%2F%2Fb.kr%2F%25ED&x=%EB%88%88",
        ]
        for (path, sent) in paths {
            _ = try await client.send(.text(HTTPRequest(server.url + path)))
            #expect(server.requests.last?.target == sent)
        }
    }

    @Test("Connections are reused")
    func keepAlive() async throws {
        let server = try ScriptedServer { $0.answer() }
        for page in 1...5 { _ = try await client.send(.text(HTTPRequest("\(server.url)/\(page)"))) }
        #expect(Set(server.requests.map(\.connection)) == [1])
    }

    @Test("A POST uses a new connection, because libcurl repeats a request that fails on a kept one")
    func freshConnection() async throws {
        let server = try ScriptedServer { $0.answer() }
        for _ in 1...2 { _ = try await client.send(.text(HTTPRequest(server.url, method: .post))) }
        #expect(Set(server.requests.map(\.connection)).count == 2)
    }

    @Test("Proxies of the environment are not used")
    func noProxy() async {
        // In a process of its own, because changing the environment is not safe beside other threads.
        await #expect(processExitsWith: .success) {
            for name in ["http_proxy", "all_proxy"] { setenv(name, "http://127.0.0.1:9", 1) }
            let server = try ScriptedServer { $0.answer("direct") }
            let answer = try await HTTPClient(retry: .patient).send(.text(HTTPRequest(server.url)))
            #expect(answer == "direct")
        }
    }

    @Test("Redirects are followed only if allowed, and up to the limit")
    func redirects() async throws {
        let server = try ScriptedServer { exchange in
            let hop = Int(exchange.request.target.dropFirst()) ?? 0
            if hop == 0 { return exchange.answer("there") }
            exchange.answer("elsewhere", status: 302, headers: ["Location: /\(hop - 1)"])
        }
        let followed = HTTPRequest("\(server.url)/3", redirects: 3)
        let response = try await client.send(.raw(followed))
        #expect(response.body == Data("there".utf8))
        #expect(response["Location"] == nil)

        let refused = HTTPRequest("\(server.url)/1")
        #expect(try await client.send(.raw(refused)).status == 302)
        #expect(
            await failure { () async throws(UpstreamError) in try await client.send(.text(refused)) }?.kind
                == .wrongAddress)

        let endless = HTTPRequest("\(server.url)/9", redirects: 3)
        let error = await failure { () async throws(UpstreamError) in try await client.send(.text(endless)) }
        #expect(error?.kind == .invalid)
    }

    @Test("A request with a secret follows no redirect")
    func secretsStay() async throws {
        let server = try ScriptedServer { $0.answer(status: 302, headers: ["Location: http://127.0.0.1:9/"]) }
        let request = HTTPRequest(
            server.url, headers: [HTTPField("X-Key", "secret", isSecret: true)], redirects: 5)
        #expect(try await client.send(.raw(request)).status == 302)
    }

    @Test(
        "A redirect to another protocol is not followed",
        arguments: ["file:///etc/passwd", "ftp://127.0.0.1/", "dict://127.0.0.1/"])
    func otherProtocol(location: String) async throws {
        let server = try ScriptedServer { $0.answer(status: 302, headers: ["Location: \(location)"]) }
        let error = await failure { () async throws(UpstreamError) in
            try await client.send(.text(HTTPRequest(server.url, redirects: 5)))
        }
        #expect(error?.kind == .invalid)
    }

    @Test(
        "An invalid request fails as badRequest",
        arguments: ["ftp://127.0.0.1/", "/path", "http://", "http://u:p@127.0.0.1/"])
    func unsendable(url: String) async {
        let error = await failure { () async throws(UpstreamError) in try await client.send(.text(HTTPRequest(url))) }
        #expect(error?.kind == .badRequest)
        #expect(error?.message.contains("u:p") != true)
    }

    @Test("The key is redacted in the upstream's message")
    func echoedKey() async throws {
        let server = try ScriptedServer { exchange in
            exchange.answer(
                exchange.request.target, status: 401, headers: ["WWW-Authenticate: Basic realm=\"x\""])
        }
        let request = HTTPRequest("\(server.url)/", query: [HTTPField("key", "se/cret", isSecret: true)])
        let endpoint = APICall<Int>(service: "test", request: request) { response throws(UpstreamError) in
            let words = String(decoding: response.body, as: UTF8.self)
            throw UpstreamError(service: "test", kind: .unauthorized, message: words, code: "se/cret", field: "SE/CRET")
        }
        let error = await failure { () async throws(UpstreamError) in try await client.send(endpoint) }
        #expect(error?.message == "/?key=*** (GET \(server.url)/?key=***)")
        #expect(error?.code == "***")
        #expect(error?.field == "***")
    }
}

import TestSupport
import Testing

@testable import WebServer

@Suite struct CacheableBodyTests {
    private let text = CacheableBody(
        Array(String(repeating: "파묘 4위→1위 ▲3\n", count: 200).utf8), contentType: "text/plain")

    private func request(_ headers: [(name: String, value: String)]) -> WebRequest {
        WebRequest(path: "/", headers: headers)
    }

    private func header(_ name: String, of response: WebResponse) -> String? {
        response.headers.first { $0.name == name }?.value
    }

    @Test(
        "a client that accepts gzip gets it, another one the plain bytes",
        arguments: [
            ("gzip, deflate, br", true), ("GZIP;q=0.5", true), ("br", false), ("", false), ("gzip;q=0", false),
            ("gzip;q=0.0, br", false),
        ])
    func packing(accepted: String, isPacked: Bool) throws {
        let response = text.response(to: request([("Accept-Encoding", accepted)]))
        #expect(header("Content-Encoding", of: response) == (isPacked ? "gzip" : nil))
        #expect(header("Vary", of: response) == "Accept-Encoding")
        guard case .shared(let shared) = response.body else {
            Issue.record("the body is not shared: \(response.body)")
            return
        }
        #expect(shared.bytes.starts(with: [0x1F, 0x8B]) == isPacked)
        #expect(shared.count < text.content.count / 10 || !isPacked)
        // Each further response has the same bytes, not a copy.
        guard case .shared(let again) = text.response(to: request([("Accept-Encoding", accepted)])).body else { return }
        #expect(again === shared)
    }

    @Test("a body that the client has already is not sent again", arguments: ["*", "TAG", "\"x\", TAG", "STRONG"])
    func known(pattern: String) throws {
        let strong = String(text.entityTag.dropFirst(2))
        let value = pattern.replacing("TAG", with: text.entityTag).replacing("STRONG", with: strong)
        let response = text.response(to: request([("If-None-Match", value)]))
        #expect(response.status == 304)
        #expect(header("ETag", of: response) == text.entityTag)
        #expect(text.response(to: request([("If-None-Match", "\"other\"")])).status == 200)
    }

    @Test("the tag follows from the bytes")
    func tags() {
        let same = CacheableBody(text.content.bytes, contentType: "text/plain")
        let other = CacheableBody(text.content.bytes.dropLast() + [0], contentType: "text/plain")
        #expect(same.entityTag == text.entityTag)
        #expect(other.entityTag != text.entityTag)
    }

    @Test("a short or incompressible body is not compressed")
    func incompressible() {
        var generator = SeededGenerator(seed: 1)
        let noise = (0..<4_096).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        #expect(CacheableBody(noise, contentType: "image/jpeg").gzipped == nil)
        #expect(CacheableBody(Array("short".utf8), contentType: "text/plain").gzipped == nil)
    }
}

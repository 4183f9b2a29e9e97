import TestSupport
import Testing

@testable import WebServer

/// Heads on which another server could disagree with this one about where a request ends (RFC 9112, 11.2).
@Suite struct SmugglingTests {
    /// Sends a head whose last line is `Connection: close`, with a second request behind it.
    private func answer(to head: String) async throws -> String {
        let server = try HTTPServer(address: "127.0.0.1:0") { .text("body of \($0.body.count) \($0.path)") }
        let answer = try await RawClient.talk(
            to: server.address, head + "Connection: close\r\n\r\nabc\r\n0\r\n\r\n")
        await server.shutdown(grace: .seconds(5))
        return answer
    }

    @Test(
        "a field that another server reads differently is refused", .patience,
        arguments: [
            "Content-Length\t: 3", "Content-Length : 3", "Content-Length\u{B}: 3", "Content-Length \u{301}: 3",
            "Content\u{301}-Length: 3", "Content-Length: 3\0", "Content-Length: 3\0 4", "Content-Length: \0003",
            "Content-Length\0: 3", "Content-Length: +3", "Content-Length: 0x3", "Content-Length: -1",
            "Content-Length: 3,3", "Content-Length: 3, 4", "Content-Length: 3 3", "Content-Length: \u{B}3",
            "Content-Length: 3\u{C}", "Content-Length: ", "Content-Length: 3\r\nContent-Length: 3",
            "Content-Length: 3\r\nContent-Length: 4", ": a", ": a\r\nContent-Length: 3", "X: a\0b", "X: a\u{1}b",
            "X: a\u{7F}b", "X\0: a", "X(: a",
            "X y: a",
            "\"X\": a", "X", "X: a\n b", "X: a\r\n b", "X: a\r\n\tb", "X: a\nContent-Length: 3",
            "X: a\rContent-Length: 3", "X: a\r\rY: b", "X: a\n\rY: b", "Host: other", "host: test",
            "X: a\nHost: other",
        ])
    func fields(field: String) async throws {
        let answer = try await answer(to: "POST / HTTP/1.1\r\nHost: test\r\n\(field)\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(field.debugDescription): \(answer)")
        // The library sends the head of its own refusals twice, and closes.
        #expect(answer.count(of: "HTTP/1.1 ") == answer.count(of: "HTTP/1.1 400 "))
    }

    @Test(
        "no Transfer-Encoding is taken, and it closes the connection", .patience,
        arguments: [
            "Transfer-Encoding: chunked", "transfer-encoding: CHUNKED", "Transfer-Encoding: gzip, chunked",
            "Transfer-Encoding: identity", "Transfer-Encoding: xchunked", "Transfer-Encoding:\tchunked",
            "Transfer-Encoding: chunked\r\nContent-Length: 3", "Content-Length: 3\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
        ])
    func encodings(field: String) async throws {
        // Without `Connection: close`: the server itself must end the connection.
        let server = try HTTPServer(address: "127.0.0.1:0") { .text("body of \($0.body.count)") }
        let answer = try await RawClient.talk(
            to: server.address,
            "POST / HTTP/1.1\r\nHost: test\r\n\(field)\r\n\r\n3\r\nabc\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: test\r\n\r\n"
        )
        #expect(answer.hasPrefix("HTTP/1.1 501 ") || answer.hasPrefix("HTTP/1.1 400 "), "\(field): \(answer)")
        #expect(answer.count(of: "HTTP/1.1 ") == 1)
        await server.shutdown(grace: .seconds(5))
    }

    @Test(
        "a request line that another server reads differently is refused", .patience,
        arguments: [
            "POST /\0x HTTP/1.1", "POST\0 / HTTP/1.1", "PO\u{1}ST / HTTP/1.1", "POST / HTTP/1.1\0",
            "POST / HTTP/1.1 ", "POST / HTTP/2.0", "POST  / HTTP/1.1", "POST /  HTTP/1.1", "POST\t/ HTTP/1.1",
            "POST / http/1.1", "POST /",
        ])
    func lines(line: String) async throws {
        let answer = try await answer(to: "\(line)\r\nHost: test\r\n")
        #expect(!answer.contains(" 200 "), "\(line.debugDescription): \(answer)")
    }

    @Test("HTTP/1.1 has one Host, which may be empty; HTTP/1.0 may have none", .patience)
    func host() async throws {
        let (none, empty, two) = ("", "Host:\r\n", "Host: test\r\nHost: test\r\n")
        for (version, hosts, status) in [
            ("1.1", none, 400), ("1.1", empty, 200), ("1.1", two, 400), ("1.0", none, 200), ("1.0", empty, 200),
            ("1.0", two, 400),
        ] {
            let answer = try await answer(to: "GET / HTTP/\(version)\r\n\(hosts)")
            #expect(answer.contains(" \(status) "), "HTTP/\(version) \(hosts.debugDescription): \(answer)")
        }
    }

    @Test(
        "what is valid is still read", .patience,
        arguments: [
            "Content-Length: 3", "Content-Length:3", "content-length: \t 3", "Content-Length: 003",
            "X:\r\nContent-Length: 3", "X: \r\nContent-Length: 3",
            "X: 파묘 \u{FFFD}\ty=\"z\"\r\nContent-Length: 3",
        ])
    func valid(field: String) async throws {
        let answer = try await answer(to: "POST /a%20b?x=%41&y HTTP/1.1\r\nHost: test\r\n\(field)\r\n")
        #expect(answer.hasSuffix("body of 3 /a b"), "\(field.debugDescription): \(answer)")
    }
}

extension String {
    /// How often `separator` occurs.
    fileprivate func count(of separator: String) -> Int { ranges(of: separator).count }
}

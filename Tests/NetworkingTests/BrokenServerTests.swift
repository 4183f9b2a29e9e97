import Foundation
import TestSupport
import Testing

@testable import Networking

@Suite(.patience)
struct BrokenServerTests {
    private let client = HTTPClient(retry: .patient)

    /// A server failure, and the kind of error that it must cause.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let kind: UpstreamError.Kind
        let script: ScriptedServer.Script
    }

    static let faults = [
        Fault(testDescription: "closes without a response", kind: .unavailable) { $0.close() },
        Fault(testDescription: "resets without a response", kind: .unavailable) { $0.reset() },
        Fault(testDescription: "cuts the head", kind: .unavailable) { exchange in
            exchange.send("HTTP/1.1 200 OK\r\nContent-Le")
            exchange.reset()
        },
        Fault(testDescription: "cuts the body", kind: .unavailable) { exchange in
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")
            exchange.close()
        },
        Fault(testDescription: "resets in the body", kind: .unavailable) { exchange in
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")
            exchange.reset()
        },
        Fault(testDescription: "cuts a chunk", kind: .unavailable) { exchange in
            exchange.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nshort")
            exchange.close()
        },
        Fault(testDescription: "sends an invalid chunk size", kind: .unavailable) { exchange in
            exchange.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
            exchange.close()
        },
        Fault(testDescription: "does not speak HTTP", kind: .invalid) { exchange in
            exchange.send("\u{16}\u{3} hello\r\n\r\n")
            exchange.close()
        },
        Fault(testDescription: "sends an invalid length", kind: .invalid) { exchange in
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nbody")
            exchange.close()
        },
        Fault(testDescription: "sends damaged gzip", kind: .invalid) {
            $0.answer([0x1F, 0x8B, 8, 0] + Array("not packed at all".utf8), headers: ["Content-Encoding: gzip"])
        },
        Fault(testDescription: "sends 1 GB", kind: .invalid) { exchange in
            exchange.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
            let piece = [UInt8](repeating: 0x20, count: 1_000_000)
            for _ in 0..<1000 where !exchange.send(piece) { break }
            exchange.close()
        },
        Fault(testDescription: "sends a gzip bomb", kind: .invalid) { exchange in
            exchange.answer(gzipBomb(megabytes: 64), headers: ["Content-Encoding: gzip"])
        },
        Fault(testDescription: "never ends its header", kind: .invalid) { exchange in
            exchange.send("HTTP/1.1 200 OK\r\n")
            while exchange.send("X-Line: \(String(repeating: "x", count: 1000))\r\n") {}
            exchange.close()
        },
        Fault(testDescription: "never ends its informational responses", kind: .invalid) { exchange in
            while exchange.send("HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n") {}
            exchange.close()
        },
    ]

    @Test("Each server failure has its kind of error", arguments: faults)
    func fault(_ fault: Fault) async throws {
        let server = try ScriptedServer(fault.script)
        // The fault ends it, however slow the machine is.
        let request = HTTPRequest("\(server.url)/path", deadline: .seconds(3600), responseLimit: 1 << 20)
        let error = await failure { () async throws(UpstreamError) in try await client.send(.text(request)) }
        #expect(error?.kind == fault.kind, "\(String(describing: error))")
        #expect(error?.message.hasSuffix(" (GET \(server.url)/path)") == true)
        #expect(error?.isTransient == (fault.kind == .unavailable))
    }

    @Test(
        "A response that ends early is whole if its JSON is",
        arguments: [(#"{"a":[1,2]}"#, true), (#"{"a":[1,2]"#, false), ("text", false), ("<html></html>", false)],
        [100, 99_999_999_999])
    func announcedTooMuch(body: (String, Bool), length: Int) async throws {
        let (body, isWhole) = body
        let server = try ScriptedServer { exchange in
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n\(body)")
            exchange.close()
        }
        let error = await failure { () async throws(UpstreamError) in
            #expect(try await client.send(.text(HTTPRequest(server.url))) == body)
        }
        #expect(error?.kind == (isWhole ? nil : .unavailable))
    }

    @Test("A body of exactly the limit is accepted, one byte more is not")
    func limit() async throws {
        let server = try ScriptedServer { exchange in
            exchange.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + String(repeating: "x", count: 1000))
            exchange.close()
        }
        #expect(try await client.send(.text(HTTPRequest(server.url, responseLimit: 1000))).count == 1000)
        let error = await failure { () async throws(UpstreamError) in
            try await client.send(.text(HTTPRequest(server.url, responseLimit: 999)))
        }
        #expect(error?.kind == .invalid)
    }

    @Test("A refused connection is unavailable")
    func refused() async throws {
        let url = "http://127.0.0.1:\(try reservePort())"
        let error = await failure { () async throws(UpstreamError) in try await client.send(.text(HTTPRequest(url))) }
        #expect(error?.kind == .unavailable)
        #expect(error?.isTransient == true)
    }

    @Test("A name that does not exist is unavailable")
    func unresolvable() async throws {
        let error = await failure { () async throws(UpstreamError) in
            try await client.send(.text(HTTPRequest("http://nowhere.invalid/")))
        }
        #expect(error?.kind == .unavailable)
    }

    @Test("A silent or slow server is a timeout at the deadline", arguments: [false, true])
    func silence(drips: Bool) async throws {
        let server = try ScriptedServer { exchange in
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            while !exchange.hasDisconnected(within: drips ? 10 : -1) { exchange.send("x") }
            exchange.close()
        }
        let request = HTTPRequest(server.url, deadline: .milliseconds(200))
        let start = ContinuousClock.now
        let error = await failure { () async throws(UpstreamError) in try await client.send(.text(request)) }
        #expect(error?.kind == .timeout)
        // libcurl's clock (CLOCK_MONOTONIC_RAW) is not adjusted, and may be a little faster than this one.
        #expect(start.duration(to: .now) >= .milliseconds(190))
    }

    @Test("Bodies that are under way share a number of bytes; one alone may have more")
    func bodies() async throws {
        let piece = String(repeating: "x", count: 600)
        let hasSent = Monitor(false)
        let server = try ScriptedServer { exchange in
            guard exchange.request.target == "/stalls" else { return exchange.answer(piece + piece) }
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n\(piece)")
            hasSent.withLock { $0 = true }
            exchange.waitForDisconnect()
        }
        let client = HTTPClient(limits: HTTPClient.Limits(bodyBytes: 1_000), retry: .patient)
        func get() async -> UpstreamError? {
            await failure { () async throws(UpstreamError) in
                try await client.send(.text(HTTPRequest("\(server.url)/whole", deadline: .seconds(3_600))))
            }
        }
        #expect(await get() == nil)
        let stalled = Task {
            await failure { () async throws(UpstreamError) in
                try await client.send(.text(HTTPRequest("\(server.url)/stalls", deadline: .seconds(3_600))))
            }
        }
        try await waitUntil("the first part is sent") { hasSent.withLock { $0 } }
        #expect(await get()?.kind == .quotaExhausted)
        stalled.cancel()
        #expect(await stalled.value?.kind == .cancelled)
        #expect(await get() == nil)
        await client.shutdown()
    }

    @Test("A request that waits for a connection fails at its deadline")
    func waiting() async throws {
        let server = try ScriptedServer { $0.waitForDisconnect() }
        let client = HTTPClient(limits: HTTPClient.Limits(perHost: 1, total: 1, queueLength: 1), retry: .patient)
        async let first = failure { () async throws(UpstreamError) in
            try await client.send(.text(HTTPRequest("\(server.url)/1")))
        }
        for await _ in server.arrivals { break }
        let request = HTTPRequest("\(server.url)/2", deadline: .milliseconds(100))
        let error = await failure { () async throws(UpstreamError) in try await client.send(.text(request)) }
        #expect(error?.kind == .timeout)
        #expect(error?.message.contains("no connection became free") == true)
        await client.shutdown()
        #expect(await first?.kind == .cancelled)
        #expect(server.requests.map(\.target) == ["/1"])
    }
}

/// Returns a gzip stream that decompresses to `megabytes` of zeros: one literal zero, then copies of 258 of the byte
/// before, in the fixed code (RFC 1951, 3.2.6). Each copy is 13 bits, so the bytes repeat after 8 of them.
private func gzipBomb(megabytes: Int) -> [UInt8] {
    let copy = "1100010100000"
    let bits = Array("110" + "00110000" + String(repeating: copy, count: 16))
    let bytes = stride(from: 0, to: bits.count - 7, by: 8).map { start in
        (0..<8).reduce(UInt8(0)) { $0 | (bits[start + $1] == "1" ? 1 << UInt8($1) : 0) }
    }
    var bomb = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + bytes[..<2]
    for _ in 0..<megabytes * 1_000_000 / 258 / 8 { bomb += bytes[2..<15] }
    return bomb
}

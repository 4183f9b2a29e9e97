import Foundation
import TestSupport
import Testing

@testable import Networking

/// Against real HTTPS servers.
@Suite(.patience) struct TLSTests {
    private let folder: TemporaryFolder
    private let time = ManualTime()

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Returns the error of a request to such a server; `trusts` is whether its authority is accepted.
    private func ask(
        _ kind: String, trusts: Bool = true, calls: Monitor<Int> = Monitor(0)
    ) async throws -> UpstreamError? {
        let server = try await Counterpart("tls.py", [folder.path, kind])
        var request = HTTPRequest("https://127.0.0.1:\(server.port)/list")
        if trusts { request.certificateFile = folder.file("authority.pem") }
        let client = HTTPClient(
            retry: RetryPolicy(attempts: 3, attemptTimeout: .seconds(3_600)), retryEnvironment: time.retryEnvironment
        ) { _ throws(UpstreamError) in
            calls.withLock { $0 += 1 }
            return nil
        }
        let error = await failure { () async throws(UpstreamError) in
            #expect(try await client.send(.text(request)) == "OK")
        }
        await client.shutdown()
        return error
    }

    @Test("A server whose certificate is accepted is called")
    func good() async throws {
        #expect(try await ask("good") == nil)
    }

    @Test(
        "What is wrong with a server's TLS is the operator's to correct: it is booked once, and the error says what it is",
        arguments: [
            ("expired", "expired"), ("otherHost", "127.0.0.1"), ("oldProtocol", "versions of TLS"),
            ("plain", "the scheme and the port"),
        ])
    func wrong(kind: String, reason: String) async throws {
        let calls = Monitor(0)
        let error = try #require(try await ask(kind, trusts: kind != "plain", calls: calls))
        #expect(error.kind == .wrongAddress && !error.isTransient, "\(error)")
        #expect(error.message.contains(reason), "\(error)")
        #expect(calls.withLock { $0 } == 1)
    }

    @Test("A certificate of an unknown authority is not accepted")
    func unknownAuthority() async throws {
        let error = try #require(try await ask("good", trusts: false))
        #expect(error.kind == .wrongAddress && error.message.contains("trusted authorities"), "\(error)")
    }

    @Test("TLS 1.3 and 1.2 are offered, and nothing older")
    func offeredVersions() async throws {
        let server = try await Counterpart("tls.py", [folder.path, "greeting"])
        let client = HTTPClient(retry: .never)
        let error = await failure { () async throws(UpstreamError) in
            _ = try await client.send(.text(HTTPRequest("https://127.0.0.1:\(server.port)/")))
        }
        await client.shutdown()
        #expect(error != nil)
        // The extension `supported_versions` (RFC 8446, 4.2.1).
        #expect(try #require(await server.line()).contains("002b00050403040303"))
    }

    @Test("A connection that breaks during the handshake passes by itself")
    func brokenHandshake() async throws {
        let error = try #require(try await ask("breaks", trusts: false))
        #expect(error.kind == .unavailable && error.isTransient, "\(error)")
    }
}

import FoundationEssentials
import Testing

@testable import Events

/// The error object of the contract, section 5.
@Suite struct FailureTests {
    @Test("all six fields are there, unknown ones as null")
    func fields() throws {
        let failure = Failure(.notPublished, "no figures yet")
        let json = String(decoding: try JSON.encode(failure), as: UTF8.self)
        #expect(
            json == #"{"code":"notPublished","field":null,"message":"no figures yet","retryAfter":null,"#
                + #""retryable":true,"upstream":null}"#)
        #expect(try JSON.decode(Failure.self, from: Array(json.utf8)) == failure)
    }

    @Test("an upstream's error tells service, status and code")
    func upstream() throws {
        let failure = Failure(
            .quotaExhausted, "used up", retryAfter: 60,
            upstream: Failure.Upstream(service: "kobis", status: 200, code: "320011"))
        let json = try JSON.encode(failure)
        #expect(try JSON.decode(Failure.self, from: json) == failure)
        #expect(
            String(decoding: json, as: UTF8.self)
                .contains(#""upstream":{"code":"320011","service":"kobis","status":200}"#))
    }

    @Test(
        "only these may succeed later",
        arguments: [
            Failure.Code.notPublished, .quotaExhausted, .upstreamUnavailable, .upstreamTimeout, .maintenance,
            .overloaded, .internal,
        ])
    func retryable(_ code: Failure.Code) {
        #expect(code.isRetryable)
        #expect(Failure.Code.allCases.filter(\.isRetryable).count == 7)
    }
}

import FoundationEssentials
import JSONCoding
import Testing

@testable import Contract

/// The error object of the contract, section 5.
@Suite struct ContractErrorTests {
    @Test("all six fields are written, unknown ones as null")
    func fields() throws {
        let failure = ContractError(.notPublished, "no figures yet")
        let json = String(decoding: try JSON.encode(failure), as: UTF8.self)
        #expect(
            json == #"{"code":"notPublished","field":null,"message":"no figures yet","retryAfter":null,"#
                + #""retryable":true,"upstream":null}"#)
        #expect(try JSON.decode(ContractError.self, from: Array(json.utf8)) == failure)
    }

    @Test("an upstream's error has the service, the status and the code")
    func upstream() throws {
        let failure = ContractError(
            .quotaExhausted, "used up", retryAfter: 60,
            upstream: ContractError.Upstream(service: "kobis", status: 200, code: "320011"))
        let json = try JSON.encode(failure)
        #expect(try JSON.decode(ContractError.self, from: json) == failure)
        #expect(
            String(decoding: json, as: UTF8.self)
                .contains(#""upstream":{"code":"320011","service":"kobis","status":200}"#))
    }

    @Test(
        "only these codes are retryable",
        arguments: [
            ContractError.Code.notPublished, .quotaExhausted, .upstreamUnavailable, .upstreamTimeout, .maintenance,
            .overloaded, .internal,
        ])
    func retryable(_ code: ContractError.Code) {
        #expect(code.isRetryable)
        #expect(ContractError.Code.allCases.filter(\.isRetryable).count == 7)
    }
}

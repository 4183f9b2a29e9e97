import Contract
import FoundationEssentials
import Networking
import Testing

@testable import Worker

/// What a client is told of an upstream's error: the contract, section 5.
@Suite struct UpstreamFailureTests {
    @Test(
        "each kind of upstream error has its code",
        arguments: [
            (UpstreamError.Kind.badRequest, ContractError.Code.upstreamInvalid), (.invalid, .upstreamInvalid),
            (.notPublished, .notPublished), (.notFound, .notFound), (.unauthorized, .unauthorized),
            (.forbidden, .forbidden), (.quotaExhausted, .quotaExhausted), (.unavailable, .upstreamUnavailable),
            (.timeout, .upstreamTimeout), (.maintenance, .maintenance),
        ])
    func codes(_ kind: UpstreamError.Kind, _ code: ContractError.Code) throws {
        let error = UpstreamError(service: "kobis", kind: kind, message: "why", status: 200, code: "1", field: "a.b")
        let failure = try ContractError(error, at: WorkerHarness.noon)
        #expect(failure.code == code)
        #expect(failure.message == "why")
        #expect(failure.field == "a.b")
        #expect(failure.upstream == ContractError.Upstream(service: "kobis", status: 200, code: "1"))
    }

    @Test("a wrong address is not retryable, and the field is the variable to correct")
    func wrongAddress() throws {
        let error = UpstreamError(service: "kakao", kind: .wrongAddress, message: "why", status: 301)
        let failure = try ContractError(error, at: WorkerHarness.noon)
        #expect(failure.code == .upstreamInvalid && !failure.code.isRetryable)
        #expect(failure.field == "MARQUEE_KAKAO_URL" && failure.needsOperator)
        let other = UpstreamError(service: "kakao", kind: .invalid, message: "why", status: 200, field: "documents")
        #expect(try !ContractError(other, at: WorkerHarness.noon).needsOperator)
    }

    @Test("a cancelled call does not count as a failure")
    func cancelled() {
        let error = UpstreamError(service: "kobis", kind: .cancelled, message: "cancelled")
        #expect(throws: CancellationError.self) { try ContractError(error, at: WorkerHarness.noon) }
    }

    @Test(
        "retryAfter is the upstream's pause, in seconds rounded up; for a used quota it ends at midnight in Korea",
        arguments: [
            (UpstreamError.Kind.maintenance, nil, nil), (.maintenance, Duration.seconds(30), 30),
            (.maintenance, .milliseconds(1), 1), (.maintenance, .milliseconds(2_001), 3),
            (.quotaExhausted, nil, 12 * 3600), (.quotaExhausted, .seconds(7), 7),
        ] as [(UpstreamError.Kind, Duration?, Int?)])
    func retryAfter(_ kind: UpstreamError.Kind, _ said: Duration?, _ told: Int?) throws {
        let error = UpstreamError(service: "kobis", kind: kind, message: "why", retryAfter: said)
        #expect(try ContractError(error, at: WorkerHarness.noon).retryAfter == told)
    }
}

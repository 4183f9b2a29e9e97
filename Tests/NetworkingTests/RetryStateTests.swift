import Testing

@testable import Networking

struct RetryStateTests {
    private let policy = RetryPolicy(attempts: 4, base: .seconds(1), cap: .seconds(3), attemptTimeout: .seconds(10))
    private let transient = UpstreamError(service: "test", kind: .unavailable, message: "broken", status: 500)

    @Test("The pause is a random part of a ceiling that doubles up to the cap, for a limited number of attempts")
    func fullJitter() {
        let errors = [transient, transient, transient, transient]
        #expect(
            pauses(for: HTTPRequest("http://a"), after: errors) == [
                .milliseconds(500), .seconds(1), .milliseconds(1500), nil,
            ])
    }

    @Test("A pause can be zero")
    func noPause() {
        #expect(pauses(for: HTTPRequest("http://a"), after: [transient], fraction: 0) == [.zero])
    }

    @Test("Retry-After is the minimum pause")
    func retryAfter() {
        var error = transient
        error.retryAfter = .seconds(7)
        #expect(pauses(for: HTTPRequest("http://a"), after: [error]) == [.seconds(7)])
    }

    @Test("No pause ends after the deadline, and an attempt gets the remaining time")
    func deadline() {
        let request = HTTPRequest("http://a", deadline: .seconds(5))
        #expect(pauses(for: request, after: [transient], elapsed: .milliseconds(4600)) == [nil])
        #expect(RetryState(policy, for: request).timeout(after: .seconds(2)) == .seconds(3))
    }

    @Test("Only idempotent requests are retried", arguments: [HTTPRequest.Method.post, .patch])
    func unrepeatable(method: HTTPRequest.Method) {
        #expect(pauses(for: HTTPRequest("http://a", method: method), after: [transient]) == [nil])
    }

    private func pauses(
        for request: HTTPRequest, after errors: [UpstreamError], elapsed: Duration = .zero, fraction: Double = 0.5
    ) -> [Duration?] {
        var retries = RetryState(policy, for: request)
        return errors.map { retries.pause(after: $0, elapsed: elapsed, fraction: fraction) }
    }

    @Test(
        "The kind and the status decide whether a failure is transient",
        arguments: [
            (UpstreamError.Kind.unavailable, nil, true), (.timeout, nil, true), (.maintenance, 503, true),
            (.maintenance, 200, true), (.maintenance, 404, false), (.timeout, 408, true), (.unavailable, 425, true),
            (.quotaExhausted, 429, true), (.quotaExhausted, 200, false), (.quotaExhausted, nil, false),
            (.unavailable, 400, false), (.unauthorized, 401, false), (.forbidden, 403, false), (.notFound, 404, false),
            (.invalid, 200, false), (.notPublished, 200, false), (.cancelled, nil, false), (.unavailable, 500, true),
        ] as [(UpstreamError.Kind, Int?, Bool)])
    func transience(kind: UpstreamError.Kind, status: Int?, isTransient: Bool) {
        #expect(UpstreamError(service: "", kind: kind, message: "", status: status).isTransient == isTransient)
    }
}

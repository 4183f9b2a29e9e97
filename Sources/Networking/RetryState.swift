/// Decides, after each failed attempt of one request, whether and when there is another. No I/O and no clock of its own.
struct RetryState {
    /// What to do next.
    enum Decision: Equatable {
        case wait(Duration)
        case giveUp
    }

    private let policy: RetryPolicy
    private let deadline: Duration
    private let isRepeatable: Bool
    /// The attempts that were made and failed.
    private(set) var failures = 0

    init(_ policy: RetryPolicy, for request: HTTPRequest) {
        self.policy = policy
        deadline = request.deadline
        isRepeatable = request.method.isIdempotent
    }

    /// The time that an attempt beginning after `elapsed` has.
    func timeout(after elapsed: Duration) -> Duration {
        min(policy.attemptTimeout, deadline - elapsed)
    }

    /// Takes note of a failure `elapsed` after the request began; `fraction` is a random number in 0..<1.
    mutating func decide(after error: UpstreamError, elapsed: Duration, fraction: Double) -> Decision {
        failures += 1
        guard error.isTransient, isRepeatable, failures < policy.attempts else { return .giveUp }
        // Full jitter: anything between nothing and the doubled base, so that callers that failed together do not
        // come back together. What the service asks for is a minimum.
        let ceiling = min(policy.cap, policy.base * (1 << min(failures - 1, 20)))
        let pause = max(ceiling * fraction, error.retryAfter ?? .zero)
        return elapsed + pause < deadline ? .wait(pause) : .giveUp
    }
}

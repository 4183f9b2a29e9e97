/// How often a request is retried, and how long to wait in between.
public struct RetryPolicy: Sendable {
    /// Maximum number of attempts; 1 for no retry.
    public var attempts: Int
    /// Upper bound of the pause before the second attempt; it doubles with each further attempt.
    public var base: Duration
    /// Upper bound of every pause.
    public var cap: Duration
    /// Timeout of one attempt, so that an unresponsive server does not use up the whole deadline.
    public var attemptTimeout: Duration

    /// Creates a policy.
    public init(
        attempts: Int = 4, base: Duration = .milliseconds(250), cap: Duration = .seconds(5),
        attemptTimeout: Duration = .seconds(10)
    ) {
        self.attempts = attempts
        self.base = base
        self.cap = cap
        self.attemptTimeout = attemptTimeout
    }

    /// One attempt and no retry, for callers that retry themselves.
    public static let never = RetryPolicy(attempts: 1)
}

// MARK: - Decisions

/// Decides after each failed attempt of one request whether and when to make another. It has no I/O and no clock.
struct RetryState {
    enum Decision: Equatable {
        case wait(Duration)
        case giveUp
    }

    private let policy: RetryPolicy
    private let deadline: Duration
    private let isRepeatable: Bool
    private(set) var failures = 0

    init(_ policy: RetryPolicy, for request: HTTPRequest) {
        self.policy = policy
        deadline = request.deadline
        isRepeatable = request.method.isIdempotent
    }

    /// Returns the timeout of an attempt that begins `elapsed` after the request.
    func timeout(after elapsed: Duration) -> Duration {
        min(policy.attemptTimeout, deadline - elapsed)
    }

    /// Records a failure and decides what to do next; `fraction` is a random number in 0..<1.
    mutating func decide(after error: UpstreamError, elapsed: Duration, fraction: Double) -> Decision {
        failures += 1
        guard error.isTransient, isRepeatable, failures < policy.attempts else { return .giveUp }
        // Full jitter: a random part of the doubled base, so that callers that failed together do not retry together.
        // The service's `Retry-After` is a minimum.
        let ceiling = min(policy.cap, policy.base * (1 << min(failures - 1, 20)))
        let pause = max(ceiling * fraction, error.retryAfter ?? .zero)
        return elapsed + pause < deadline ? .wait(pause) : .giveUp
    }
}

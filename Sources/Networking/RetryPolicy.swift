/// How often a request is tried, and how long to wait in between.
public struct RetryPolicy: Sendable {
    /// The attempts in all; 1 is no retry.
    public var attempts: Int
    /// The longest pause before the second attempt; it doubles with each further one.
    public var base: Duration
    /// Where the doubling ends.
    public var cap: Duration
    /// The time one attempt may take, so that one silent server does not use up the whole deadline.
    public var attemptTimeout: Duration

    /// Makes a policy.
    public init(
        attempts: Int = 4, base: Duration = .milliseconds(250), cap: Duration = .seconds(5),
        attemptTimeout: Duration = .seconds(10)
    ) {
        self.attempts = attempts
        self.base = base
        self.cap = cap
        self.attemptTimeout = attemptTimeout
    }

    /// One attempt, for requests whose owner has retries of its own.
    public static let never = RetryPolicy(attempts: 1)
}

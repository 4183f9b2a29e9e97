/// A rate limit: a bucket that refills at a steady rate and loses a token for each thing that is allowed.
///
/// It starts full, so a burst of `capacity` is allowed after a quiet time. It is a value without a lock or a clock: the
/// caller says what time it is, as the time since any fixed moment, and shares the bucket in a ``Locked``.
public struct TokenBucket: Sendable {
    private let capacity: Double
    private let refillPerSecond: Double
    private var tokens: Double
    private var lastRefill: Duration

    /// Makes a full bucket.
    ///
    /// - Parameters:
    ///   - capacity: how many tokens it holds.
    ///   - refillPerSecond: how many tokens come back each second.
    ///   - now: the time since the moment that all calls count from.
    public init(capacity: Double, refillPerSecond: Double, at now: Duration = .zero) {
        self.capacity = capacity
        self.refillPerSecond = refillPerSecond
        tokens = capacity
        lastRefill = now
    }

    /// Takes a token; false if there is no whole one. A time before that of an earlier call counts as that time.
    public mutating func takeToken(at now: Duration) -> Bool {
        if now > lastRefill {
            tokens = min(capacity, tokens + (now - lastRefill) / .seconds(1) * refillPerSecond)
            lastRefill = now
        }
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }
}

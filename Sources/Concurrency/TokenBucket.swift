/// A rate limit: a bucket of tokens that refills at a steady rate. Each allowed action takes a token.
///
/// It starts full, so a burst of `capacity` actions is allowed after a pause. It is a value without a lock or a clock: the
/// caller passes the time since a fixed moment, and shares the bucket in a ``Locked``.
public struct TokenBucket: Sendable {
    private let capacity: Double
    private let refillPerSecond: Double
    private var tokens: Double
    private var lastRefill: Duration

    /// Makes a full bucket; `now` is the time since the fixed moment.
    public init(capacity: Double, refillPerSecond: Double, at now: Duration = .zero) {
        self.capacity = capacity
        self.refillPerSecond = refillPerSecond
        tokens = capacity
        lastRefill = now
    }

    /// Takes a token and returns true; returns false if there is no whole token.
    ///
    /// - Parameter now: the time since the fixed moment. A time before that of an earlier call counts as that time.
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

import CCurl
public import FoundationEssentials
import Text

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
    private let policy: RetryPolicy
    private let deadline: Duration
    private let isRepeatable: Bool
    private(set) var failures = 0

    init(_ policy: RetryPolicy, for request: HTTPRequest) {
        self.policy = policy
        deadline = request.deadline
        isRepeatable = request.method.isIdempotent
    }

    func timeout(after elapsed: Duration) -> Duration {
        min(policy.attemptTimeout, deadline - elapsed)
    }

    /// Records a failure and returns the pause before the next attempt, or nil to give up; `fraction` is a random number
    /// in 0..<1.
    mutating func pause(after error: UpstreamError, elapsed: Duration, fraction: Double) -> Duration? {
        failures += 1
        guard error.isTransient, isRepeatable, failures < policy.attempts else { return nil }
        // Full jitter: a random part of the doubled base, so that callers that failed together do not retry together.
        // The service's `Retry-After` is a minimum.
        let ceiling = min(policy.cap, policy.base * (1 << min(failures - 1, 20)))
        let pause = max(ceiling * fraction, error.retryAfter ?? .zero)
        return elapsed + pause < deadline ? pause : nil
    }
}

extension HTTPClient {
    /// The clock and the random numbers that retries use, so that tests can control them.
    public struct RetryEnvironment: Sendable {
        /// The current time, by which deadlines are measured.
        public var now: @Sendable () -> ContinuousClock.Instant
        /// The current date, with which a `Retry-After` date is compared.
        public var date: @Sendable () -> Date
        /// Sleeps for a duration; throws when the task is cancelled.
        public var sleep: @Sendable (Duration) async throws -> Void
        /// Returns a random number in 0..<1.
        public var fraction: @Sendable () -> Double

        /// The system's clocks and random numbers.
        public static let system = RetryEnvironment(
            now: { .now }, date: { Date() }, sleep: { try await Task.sleep(for: $0) },
            fraction: { .random(in: 0..<1) })
    }
}

// MARK: - Retry-After

extension Duration {
    /// The longest wait that a service is granted: after a day it is asked again, whatever it has said.
    public static let longestRetryAfter = Duration.seconds(86_400)

    /// Parses a `Retry-After` header received at `now`: seconds or an HTTP date in any of its three forms (RFC 9110, 10.2.3),
    /// and what some services send: a fraction, seconds since 1970, and several numbers, of which the longest counts.
    init?(retryAfter text: String, at now: Date) {
        let numbers = text.split(separator: ",").map { $0.filter { $0 != " " } }
        let areNumbers = numbers.allSatisfy { $0.utf8.allSatisfy { $0.decimalDigit != nil || $0 == UInt8(ascii: ".") } }
        if areNumbers, let number = numbers.compactMap(Double.init).max() {
            self.init(asked: number < 1e9 ? number : number - now.timeIntervalSince1970)
        } else if let date = Date(http: text) {
            self.init(asked: date.timeIntervalSince(now))
        } else {
            return nil
        }
    }

    /// The pause of this many seconds that a service asks for: not negative, and no longer than can be written.
    public init(asked seconds: Double) {
        self = .seconds(min(max(0, seconds), 1e9))
    }
}

extension Date {
    /// Parses an HTTP date in any of its three forms (RFC 9110, 5.6.7).
    init?(http text: String) {
        let seconds = curl_getdate(text, nil)
        guard seconds != -1 else { return nil }
        self.init(timeIntervalSince1970: Double(seconds))
    }
}

import CCurl
public import FoundationEssentials

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

        /// Creates an environment.
        public init(
            now: @escaping @Sendable () -> ContinuousClock.Instant, date: @escaping @Sendable () -> Date,
            sleep: @escaping @Sendable (Duration) async throws -> Void, fraction: @escaping @Sendable () -> Double
        ) {
            self.now = now
            self.date = date
            self.sleep = sleep
            self.fraction = fraction
        }

        /// The system's clocks and random numbers.
        public static let system = RetryEnvironment(
            now: { .now }, date: { Date() }, sleep: { try await Task.sleep(for: $0) },
            fraction: { .random(in: 0..<1) })
    }
}

// MARK: - Retry-After

extension Duration {
    /// The longest wait that a service is granted: after a day it is asked again, whatever it has said.
    static let longestRetryAfter = Duration.seconds(86_400)

    /// Parses a `Retry-After` header received at `now`: seconds, or an HTTP date in any of its three forms (RFC 9110,
    /// 10.2.3).
    init?(retryAfter text: String, at now: Date) {
        let wait: Duration
        if !text.isEmpty, text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) {
            // A number of seconds that does not fit counts as the longest wait, not as no wait.
            wait = .seconds(Int32(text) ?? .max)
        } else {
            guard let date = Date(http: text) else { return nil }
            wait = .seconds(date.timeIntervalSince(now))
        }
        self = min(max(.zero, wait), Self.longestRetryAfter)
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

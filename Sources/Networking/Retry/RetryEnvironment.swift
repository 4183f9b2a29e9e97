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
    public static let longestRetryAfter = Duration.seconds(86_400)

    /// Parses a `Retry-After` header received at `now`: seconds, which some services send with a fraction, or an HTTP date
    /// in any of its three forms (RFC 9110, 10.2.3).
    init?(retryAfter text: String, at now: Date) {
        let isNumber = text.utf8.allSatisfy { ("0"..."9").contains(Unicode.Scalar($0)) || $0 == UInt8(ascii: ".") }
        if isNumber, let seconds = Double(text) {
            self.init(asked: seconds)
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

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
    /// and what some services send: a fraction, a unit, quotation marks, seconds since 1970, a date of ISO 8601, and several
    /// numbers, of which the longest counts.
    init?(retryAfter text: String, at now: Date) {
        let numbers = text.split(separator: ",").compactMap { Self.number($0) }
        if let number = numbers.max() {
            self.init(asked: number < 1e9 ? number : number - now.timeIntervalSince1970)
        } else if let date = (try? Date(text, strategy: .iso8601)) ?? Date(http: text) {  // most are dates of HTTP
            self.init(asked: date.timeIntervalSince(now))
        } else {
            return nil
        }
    }

    /// Reads `90`, `0.5`, `"90"` or `90s`.
    private static func number(_ text: Substring) -> Double? {
        var number = text.filter { $0 != " " && $0 != "\"" }
        if number.last == "s" { number.removeLast() }
        let isNumber = number.utf8.allSatisfy { ("0"..."9").contains(Unicode.Scalar($0)) || $0 == UInt8(ascii: ".") }
        return isNumber ? Double(number) : nil
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

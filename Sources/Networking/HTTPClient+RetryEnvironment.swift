public import FoundationEssentials

extension HTTPClient {
    /// Time and chance, as the decisions about retries see them.
    public struct RetryEnvironment: Sendable {
        /// The time that deadlines are measured by.
        public var now: @Sendable () -> ContinuousClock.Instant
        /// The time of day that a `Retry-After` date is compared with.
        public var date: @Sendable () -> Date
        /// Waits; throws when the task is cancelled.
        public var sleep: @Sendable (Duration) async throws -> Void
        /// A random number in 0..<1.
        public var fraction: @Sendable () -> Double

        /// Makes surroundings.
        public init(
            now: @escaping @Sendable () -> ContinuousClock.Instant, date: @escaping @Sendable () -> Date,
            sleep: @escaping @Sendable (Duration) async throws -> Void, fraction: @escaping @Sendable () -> Double
        ) {
            self.now = now
            self.date = date
            self.sleep = sleep
            self.fraction = fraction
        }

        /// The real ones.
        public static let system = RetryEnvironment(
            now: { .now }, date: { Date() }, sleep: { try await Task.sleep(for: $0) },
            fraction: { .random(in: 0..<1) })
    }
}

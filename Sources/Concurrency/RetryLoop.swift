/// Repeats an operation until it succeeds, with pauses that double.
///
/// Use it for an operation that must not be given up, such as a write to a disk that is full for now.
///
/// The operation runs in the caller's task, never twice at once. There is no limit on attempts.
public struct RetryLoop: Sendable {
    private static let firstPause = Duration.milliseconds(250)
    private static let longestPause = Duration.seconds(30)

    private let clock: any Clock<Duration>

    /// Makes a loop that pauses on `clock`, first for 250 ms, then twice as long each time, up to 30 seconds.
    public init(clock: any Clock<Duration>) {
        self.clock = clock
    }

    /// Calls `operation` until it returns, and returns its value; returns nil if the task is cancelled in a pause.
    ///
    /// The first attempt is made whether the task is cancelled or not. A cancelled task makes one attempt at most: the
    /// pause after it ends at once.
    public func run<Value: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Value,
        onFailure: (any Error) -> Void
    ) async -> Value? {
        var pause = Self.firstPause
        while true {
            do {
                return try await operation()
            } catch {
                onFailure(error)
            }
            guard (try? await clock.sleep(for: pause)) != nil else { return nil }  // fails by cancellation alone
            pause = min(pause * 2, Self.longestPause)
        }
    }
}

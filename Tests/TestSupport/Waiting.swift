internal import Foundation
public import Testing

/// How long a test waits for what must come: 300 s, times `MARQUEE_SLOWNESS` on a machine that is slower still.
public let patience: Duration = .seconds(300) * slowness

private let slowness = ProcessInfo.processInfo.environment["MARQUEE_SLOWNESS"].flatMap(Double.init) ?? 1

/// Looks every few milliseconds until `isExpected` holds for what `look` returns, and returns that.
///
/// Wait for a state that stays, such as "at least three": one that passes may come and go between two looks.
///
/// - Parameters:
///   - what: What is waited for, for the error.
///   - look: The state now.
///   - isExpected: Whether it is the state that is waited for.
/// - Throws: `WaitingError` after ``patience``; `CancellationError` when the task is cancelled, as at the test's time limit;
///   what `look` throws.
@discardableResult
public func waitUntil<Value>(
    _ what: String, isolation: isolated (any Actor)? = #isolation, look: () async throws -> Value,
    is isExpected: (Value) -> Bool
) async throws -> Value {
    let end = ContinuousClock.now + patience
    while true {
        let value = try await look()
        if isExpected(value) { return value }
        guard ContinuousClock.now < end else { throw WaitingError(what: what, seen: "\(value)") }
        // Asleep, so that the other tests have the processor.
        try await Task.sleep(for: .milliseconds(2))
    }
}

/// Looks every few milliseconds until a condition holds.
///
/// - Parameters:
///   - what: What is waited for, for the error.
///   - holds: The condition.
/// - Throws: As the other `waitUntil`.
public func waitUntil(
    _ what: String, isolation: isolated (any Actor)? = #isolation, _ holds: () async throws -> Bool
) async throws {
    try await waitUntil(what, look: holds, is: { $0 })
}

/// What was waited for did not come.
public struct WaitingError: Error, CustomStringConvertible {
    let what: String
    let seen: String

    /// What was waited for, how long, and what was seen last.
    public var description: String { "did not happen within \(patience): \(what); seen last: \(seen)" }
}

extension Trait where Self == TimeLimitTrait {
    /// The limit of a test that waits: far longer than its ``patience``, whose error says what it waited for.
    public static var patience: Self { .timeLimit(.minutes(Int(15 * slowness))) }
}

/// Runs an operation, and cancels it and throws `late` if it takes longer than a limit.
///
/// The call returns only after `work` has ended, so `work` must end when it is cancelled.
public func withDeadline<Value: Sendable>(
    _ limit: Duration, orThrow late: @autoclosure @Sendable () -> any Error,
    clock: any Clock<Duration> = ContinuousClock(), _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let late = late()
    return try await withThrowingTaskGroup { tasks in
        tasks.addTask { try await work() }
        tasks.addTask {
            try await clock.sleep(for: limit)
            throw late
        }
        defer { tasks.cancelAll() }
        guard let value = try await tasks.next() else { throw late }
        return value
    }
}

extension Duration {
    /// The duration in whole milliseconds as C libraries take it: rounded up, so that no wait ends early, never negative,
    /// and at most 68 years.
    public var milliseconds: Int {
        let (seconds, attoseconds) = max(.zero, min(self, .seconds(Int32.max))).components
        return Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}

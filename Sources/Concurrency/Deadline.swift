/// Runs an operation, and cancels it if it takes longer than a limit.
///
/// The call returns only after `work` has ended, so `work` must end when it is cancelled.
///
/// - Parameters:
///   - limit: the longest time that `work` may take.
///   - late: the error that is thrown after that time.
///   - clock: the clock that measures the limit.
///   - work: the operation.
/// - Returns: the value of `work`.
/// - Throws: `late`, or the error of `work`.
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

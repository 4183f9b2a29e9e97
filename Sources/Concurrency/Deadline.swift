/// Runs `work` and returns what it returns; after `limit` its task is cancelled and `late` is thrown.
///
/// `work` must end when it is cancelled.
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

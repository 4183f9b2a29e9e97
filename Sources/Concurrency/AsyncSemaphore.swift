/// A number of permits that tasks wait for, in the order in which they ask; with one permit, a mutex for tasks.
///
/// Any number of tasks may wait. A permit that is given back goes to the task that has waited longest, and no newcomer
/// gets ahead of it. It is not recursive: a task that holds the only permit and asks for it again waits for ever.
public struct AsyncSemaphore: Sendable {
    private let freePermits: AsyncCondition<Int>

    /// Makes a semaphore with `permits` permits, at least one.
    public init(permits: Int) {
        precondition(permits > 0, "a semaphore without permits blocks every task for ever")
        freePermits = AsyncCondition(permits)
    }

    /// The number of tasks that wait for a permit.
    public var waiterCount: Int { freePermits.waiterCount }

    /// Suspends until there is a permit, calls `body` with it, and gives it back; returns or throws what `body` does.
    ///
    /// Cancellation does not end the wait: a cancelled task still waits for its turn, and `body` sees the cancellation.
    /// So `body` should end early when it is cancelled, because other tasks wait for its permit.
    public func withPermit<Value: Sendable, Failure: Error>(
        _ body: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await freePermits.waitIgnoringCancellation { count -> Void? in
            guard count > 0 else { return nil }
            count -= 1
            return ()
        }
        defer { freePermits.update { $0 += 1 } }
        return try await body()
    }
}

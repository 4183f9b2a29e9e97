internal import Concurrency

/// State that tasks can wait on: a condition variable that suspends instead of blocking.
///
/// Conditions are looked at after each `update`, under the lock; a task that is woken looks again, since another may
/// have been there before it.
final class Awaitable<State: Sendable>: Sendable {
    private struct Waiter {
        let ticket: Int
        let condition: @Sendable (State) -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct Guarded {
        var state: State
        var waiters: [Waiter] = []
        var lastTicket = 0

        /// The waiters whose condition is true, who wait no more.
        mutating func takeReady() -> [CheckedContinuation<Bool, Never>] {
            guard !waiters.isEmpty else { return [] }
            let state = state
            var ready: [CheckedContinuation<Bool, Never>] = []
            waiters.removeAll { waiter in
                let isReady = waiter.condition(state)
                if isReady { ready.append(waiter.continuation) }
                return isReady
            }
            return ready
        }
    }

    private let guarded: Locked<Guarded>

    init(_ state: State) {
        guarded = Locked(Guarded(state: state))
    }

    /// Reads the state.
    func read<Result: Sendable>(_ body: (State) -> Result) -> Result {
        guarded.withLock { body($0.state) }
    }

    /// Whether a task waits for another state.
    var isAwaited: Bool { guarded.withLock { !$0.waiters.isEmpty } }

    /// Reads or changes the state, then wakes those whose condition has come true, the longest waiting first.
    @discardableResult
    func update<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, ready) = guarded.withLock { guarded in
            let result = body(&guarded.state)
            return (result, guarded.takeReady())
        }
        for continuation in ready { continuation.resume(returning: true) }
        return result
    }

    /// Suspends until `condition` is true; false if the task was cancelled first.
    func wait(until condition: @escaping @Sendable (State) -> Bool) async -> Bool {
        let ticket = guarded.withLock { guarded in
            guarded.lastTicket += 1
            return guarded.lastTicket
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Cancellation is looked at under the lock that `cancel` takes: it is seen here, or comes after.
                let answer: Bool? = guarded.withLock { guarded in
                    if Task.isCancelled { return false }
                    if condition(guarded.state) { return true }
                    guarded.waiters.append(Waiter(ticket: ticket, condition: condition, continuation: continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            cancel(ticket)
        }
    }

    private func cancel(_ ticket: Int) {
        let continuation = guarded.withLock { guarded -> CheckedContinuation<Bool, Never>? in
            guard let index = guarded.waiters.firstIndex(where: { $0.ticket == ticket }) else { return nil }
            return guarded.waiters.remove(at: index).continuation
        }
        continuation?.resume(returning: false)
    }
}

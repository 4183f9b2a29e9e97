/// State behind a lock that tasks can wait on: a condition variable that suspends tasks instead of blocking threads.
///
/// After each change the waiting tasks are tried under the lock, the longest waiting first, so they are served in the
/// order in which they came. Changes come from any thread; conditions and bodies run on the thread that changes the
/// state, so they must be short and must not touch the same `AsyncCondition`. There is no limit on waiting tasks.
public final class AsyncCondition<State: Sendable>: Sendable {
    // Inlinable, as the lock is: every message of a socket changes such a state, and a generic of another module that is
    // not specialized for the state costs more than the change.

    @usableFromInline struct Waiter: Sendable {
        @usableFromInline let ticket: Int
        /// Returns what resumes the task if the state is what it waits for.
        @usableFromInline let attempt: @Sendable (inout State) -> (@Sendable () -> Void)?
        @usableFromInline let cancel: @Sendable () -> Void

        @usableFromInline init(
            ticket: Int, attempt: @escaping @Sendable (inout State) -> (@Sendable () -> Void)?,
            cancel: @escaping @Sendable () -> Void
        ) {
            self.ticket = ticket
            self.attempt = attempt
            self.cancel = cancel
        }
    }

    @usableFromInline struct Guarded: Sendable {
        @usableFromInline var state: State
        @usableFromInline var waiters: [Waiter] = []
        @usableFromInline var lastTicket = 0

        @usableFromInline init(state: State) {
            self.state = state
        }

        /// Removes the waiters that the state satisfies, and returns what resumes them.
        @inlinable mutating func serve() -> [@Sendable () -> Void] {
            var resumptions: [@Sendable () -> Void] = []
            var index = 0
            while index < waiters.count {
                guard let resume = waiters[index].attempt(&state) else {
                    index += 1
                    continue
                }
                waiters.remove(at: index)
                resumptions.append(resume)
                // The attempt may have changed the state into what an earlier waiter waits for.
                index = 0
            }
            return resumptions
        }
    }

    @usableFromInline let guarded: Locked<Guarded>

    /// Makes a condition with its first state.
    public init(_ state: State) {
        guarded = Locked(Guarded(state: state))
    }

    /// Calls `body` with the state under the lock, and returns what it returns.
    @inlinable public func read<Result: Sendable>(_ body: (State) -> Result) -> Result {
        guarded.withLock { body($0.state) }
    }

    /// The number of waiting tasks.
    @inlinable public var waiterCount: Int { guarded.withLock { $0.waiters.count } }

    /// Reads or changes the state under the lock, then resumes the tasks that it satisfies; returns what `body` returns.
    @inlinable @discardableResult
    public func update<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, resumptions) = guarded.withLock { guarded in
            let result = body(&guarded.state)
            return (result, guarded.waiters.isEmpty ? [] : guarded.serve())
        }
        for resume in resumptions { resume() }
        return result
    }

    /// Suspends until `condition` is true, and returns true; returns false if the task is cancelled, then or before.
    ///
    /// Another task may change the state again before this one resumes: check it again, or use ``waitForValue(_:)``.
    @inlinable public func wait(until condition: @escaping @Sendable (State) -> Bool) async -> Bool {
        await waitForValue { condition($0) ? true : nil } ?? false
    }

    /// Suspends until `body` returns a value, and returns it; returns nil if the task is cancelled, then or before.
    ///
    /// `body` is called at once and after each change, and may change the state itself: a value that it removes from the
    /// state belongs to this task alone. If the task is cancelled, `body` has removed nothing.
    @inlinable public func waitForValue<Result: Sendable>(
        _ body: @escaping @Sendable (inout State) -> Result?
    ) async -> Result? {
        guard !Task.isCancelled else { return nil }
        let (value, ticket) = begin(body)
        if let value { return value }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result?, Never>) in
                let waiter = Waiter(ticket: ticket) { state in
                    guard let value = body(&state) else { return nil }
                    return { continuation.resume(returning: value) }
                } cancel: {
                    continuation.resume(returning: nil)
                }
                // Cancellation is read under the lock that `cancel` takes: it is seen here, or comes after.
                join(waiter) { Task.isCancelled }
            }
        } onCancel: {
            cancel(ticket)
        }
    }

    /// Suspends until `body` returns a value, and returns it, whether the task is cancelled or not.
    ///
    /// Use it for a value that is sure to come. `body` is called as by ``waitForValue(_:)``.
    @inlinable public func waitIgnoringCancellation<Result: Sendable>(
        _ body: @escaping @Sendable (inout State) -> Result?
    ) async -> Result {
        if let value = begin(body).value { return value }
        return await withCheckedContinuation { (continuation: CheckedContinuation<Result, Never>) in
            let waiter = Waiter(ticket: 0) { state in
                guard let value = body(&state) else { return nil }
                return { continuation.resume(returning: value) }
            } cancel: {
            }
            join(waiter) { false }
        }
    }

    /// Calls `body` once, without the cost of suspending; returns its value, and a ticket for a waiter.
    @inlinable func begin<Result: Sendable>(
        _ body: (inout State) -> Result?
    ) -> (value: Result?, ticket: Int) {
        let (value, ticket, resumptions) = guarded.withLock { guarded in
            guarded.lastTicket += 1
            let value = body(&guarded.state)
            return (value, guarded.lastTicket, value == nil ? [] : guarded.serve())
        }
        for resume in resumptions { resume() }
        return (value, ticket)
    }

    @inlinable func join(_ waiter: Waiter, unless isCancelled: () -> Bool) {
        let resumptions = guarded.withLock { guarded -> [@Sendable () -> Void] in
            if isCancelled() { return [waiter.cancel] }
            guard let resume = waiter.attempt(&guarded.state) else {
                guarded.waiters.append(waiter)
                return []
            }
            return [resume] + guarded.serve()
        }
        for resume in resumptions { resume() }
    }

    @inlinable func cancel(_ ticket: Int) {
        let waiter = guarded.withLock { guarded -> Waiter? in
            guard let index = guarded.waiters.firstIndex(where: { $0.ticket == ticket }) else { return nil }
            return guarded.waiters.remove(at: index)
        }
        waiter?.cancel()
    }
}

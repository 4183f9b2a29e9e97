import Locking

/// What callers on any thread leave for the loop's thread, and how they wake it.
///
/// It is also the thread's `TaskExecutor`: a task that prefers it asks and is answered without a hop to another thread.
final class TransferInbox: TaskExecutor {
    /// What has come in since the last look.
    struct Mail: Sendable {
        var orders: [TransferOrder] = []
        var cancelled: [TransferOrder.ID] = []
        /// The jobs of tasks that prefer the thread.
        var jobs: [UnownedJob] = []
        var isClosing = false

        var isEmpty: Bool { orders.isEmpty && cancelled.isEmpty && jobs.isEmpty && !isClosing }
    }

    private struct State {
        var mail = Mail()
        var lastID: TransferOrder.ID = 0
        /// Nil once the loop has ended.
        var multi: MultiHandle?
        var isAsleep = false
        var hasEnded = false
        var onEnd: [CheckedContinuation<Void, Never>] = []

        /// Changes the mail, and wakes the loop if it sleeps: once for a burst, and never by what it does itself.
        mutating func post(_ change: (inout Mail) -> Void) {
            change(&mail)
            if isAsleep { multi?.wakeUp() }
            isAsleep = false
        }
    }

    private let state: Locked<State>

    init(waking multi: MultiHandle) {
        state = Locked(State(multi: multi))
    }

    /// A number for an order.
    func makeID() -> TransferOrder.ID {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// Hands over an order; false if nobody will do it any more.
    func post(_ order: TransferOrder) -> Bool {
        state.withLock { state in
            guard state.multi != nil, !state.mail.isClosing else { return false }
            state.post { $0.orders.append(order) }
            return true
        }
    }

    /// Calls an order back. One that is not there yet, or no longer, is none of the loop's concern.
    func cancel(_ id: TransferOrder.ID) {
        state.withLock { $0.post { $0.cancelled.append(id) } }
    }

    /// Has the loop run a job; once that has ended, any thread runs it.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isRunning = state.withLock { state in
            guard state.multi != nil else { return false }
            state.post { $0.jobs.append(job) }
            return true
        }
        if !isRunning { globalConcurrentExecutor.enqueue(job) }
    }

    /// Tells the loop to call everything back and end.
    func close() {
        state.withLock { $0.post { $0.isClosing = true } }
    }

    /// Returns when the loop has ended.
    func end() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.onEnd.append(continuation) }
                return state.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    /// Takes all mail; that the inbox is closing stays in it.
    func take() -> Mail {
        state.withLock { state in
            defer { state.mail = Mail(isClosing: state.mail.isClosing) }
            state.isAsleep = false
            return state.mail
        }
    }

    /// Whether there is no mail, so that the loop may sleep; from then on mail wakes it.
    func fallAsleep() -> Bool {
        state.withLock { state in
            state.isAsleep = state.mail.isEmpty
            return state.isAsleep
        }
    }

    /// Closes the connections, since the loop has ended, and tells who waits for it.
    func loopEnded() {
        // The last reference: the handle is cleaned up here, outside of the lock.
        let (multi, jobs) = state.withLock { state in (state.multi.take(), state.mail.jobs) }
        _ = consume multi
        for job in jobs { globalConcurrentExecutor.enqueue(job) }
        let waiting = state.withLock { state in
            state.hasEnded = true
            return state.onEnd
        }
        for continuation in waiting { continuation.resume() }
    }
}

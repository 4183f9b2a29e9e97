import Concurrency

/// The queue by which callers on any thread give work to the event loop's thread.
final class TransferQueue: Sendable {
    /// The work that has arrived since the last read.
    struct Work: Sendable {
        var transfers: [PendingTransfer] = []
        var cancelled: [PendingTransfer.ID] = []
        var isClosing = false
    }

    private struct State {
        var work = Work()
        var lastID: PendingTransfer.ID = 0
        /// Ends the loop's wait; nil while there is no loop.
        var waker: MultiHandle.Waker?
    }

    private let state = Locked(State())
    private let hasEnded = AsyncCondition(false)

    /// Returns a new, unique transfer number.
    func makeID() -> PendingTransfer.ID {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// Enqueues a transfer; false if the queue is closing.
    func post(_ transfer: PendingTransfer) -> Bool {
        change { work in
            if !work.isClosing { work.transfers.append(transfer) }
            return !work.isClosing
        }
    }

    /// Cancels a transfer. A number that is unknown to the loop, or already complete, has no effect.
    func cancel(_ id: PendingTransfer.ID) {
        change { $0.cancelled.append(id) }
    }

    /// Makes the loop cancel all transfers and end.
    func close() {
        change { $0.isClosing = true }
    }

    /// Returns when the loop has ended. Call `close()` first.
    func waitForEnd() async {
        await hasEnded.waitIgnoringCancellation { $0 ? () : nil }
    }

    /// Changes the work, and ends the loop's wait.
    private func change<Result: Sendable>(_ change: (inout Work) -> Result) -> Result {
        state.withLock { state in
            // Under the lock, so that the loop does not free the handle meanwhile.
            state.waker?.wake()
            return change(&state.work)
        }
    }

    // MARK: - For the loop

    /// Sets what ends the loop's wait; nil before the loop frees its handle.
    func setWaker(_ waker: MultiHandle.Waker?) {
        state.withLock { $0.waker = waker }
    }

    /// Removes and returns all work; `isClosing` stays set.
    func take() -> Work {
        state.withLock { state in
            defer { state.work = Work(isClosing: state.work.isClosing) }
            return state.work
        }
    }

    /// Resumes `waitForEnd`.
    func loopEnded() {
        hasEnded.update { $0 = true }
    }
}

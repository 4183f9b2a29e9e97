import Locking

/// What callers on any thread leave for the loop's thread, and how they wake it.
final class TransferInbox: Sendable {
    /// What has come in since the last look.
    struct Mail: Sendable {
        var orders: [TransferOrder] = []
        var cancelled: [TransferOrder.ID] = []
        var isClosing = false

        var isEmpty: Bool { orders.isEmpty && cancelled.isEmpty && !isClosing }
    }

    private struct State {
        var mail = Mail()
        var lastID: TransferOrder.ID = 0
        /// Nil once the loop has ended.
        var multi: MultiHandle?
        var hasEnded = false
        var onEnd: [CheckedContinuation<Void, Never>] = []

        /// Changes the mail, and wakes the loop if it does not know yet that there is any: once for a burst.
        mutating func post(_ change: (inout Mail) -> Void) {
            let wasEmpty = mail.isEmpty
            change(&mail)
            if wasEmpty { multi?.wakeUp() }
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
            return state.mail
        }
    }

    /// Closes the connections, since the loop has ended, and tells who waits for it.
    func loopEnded() {
        // The last reference: the handle is cleaned up in this line, outside of the lock.
        _ = state.withLock { state in state.multi.take() }
        let waiting = state.withLock { state in
            state.hasEnded = true
            return state.onEnd
        }
        for continuation in waiting { continuation.resume() }
    }
}

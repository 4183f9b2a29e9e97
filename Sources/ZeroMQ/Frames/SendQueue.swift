internal import Concurrency

/// The bounded queue of messages on their way to the I/O thread.
///
/// The first message of a burst wakes the I/O thread, the others only join. A message counts against the limit until it
/// is with ZeroMQ or dropped.
final class SendQueue: Sendable {
    private struct State {
        var queue = MessageQueue()
        var pending = 0
        var isScheduled = false
        var isClosed = false
    }

    private let state = AsyncCondition(State())
    private let limit: Int
    private let unread: UnreadByteAccounting?
    private let schedule: @Sendable () -> Void

    /// `schedule` asks the I/O thread to begin taking; with `unread`, messages count there as soon as they are queued.
    init(limit: Int, unread: UnreadByteAccounting?, schedule: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.unread = unread
        self.schedule = schedule
    }

    /// Queues as many messages as there is room for, in order; returns how many.
    func post(_ messages: ArraySlice<Message>) -> Int {
        let (count, isFirst) = state.update { state in
            let count = state.isClosed ? 0 : min(messages.count, limit - state.pending)
            let queued = messages.prefix(count)
            if let unread { state.queue.append(queued.map(unread.charge)[...]) } else { state.queue.append(queued) }
            state.pending += count
            let isFirst = count > 0 && !state.isScheduled
            if isFirst { state.isScheduled = true }
            return (count, isFirst)
        }
        if isFirst { schedule() }
        return count
    }

    /// Suspends until there is room worth waking for; false if it is closed or the task cancelled.
    func waitForRoom() async -> Bool {
        let limit = limit
        guard await state.wait(until: { $0.pending <= limit / 2 || $0.isClosed }) else { return false }
        return state.read { !$0.isClosed }
    }

    /// Refuses all further messages; what is queued can still be taken.
    func close() {
        state.update { $0.isClosed = true }
    }

    /// All that is queued; with nothing, the next message wakes the I/O thread again.
    func take() -> MessageQueue {
        state.update { state in
            defer { state.queue = MessageQueue() }
            state.isScheduled = !state.queue.isEmpty
            return state.queue
        }
    }

    /// Tells that so many of the messages taken are done with.
    func settle(_ count: Int) {
        state.update { $0.pending -= count }
    }
}

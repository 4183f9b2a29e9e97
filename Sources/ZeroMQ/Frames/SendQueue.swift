internal import Concurrency

/// A bounded queue of messages to send, from tasks to the I/O thread.
///
/// Only the first message of a burst wakes the I/O thread. A message counts against the limit until libzmq has it or it is
/// dropped.
final class SendQueue: Sendable {
    private struct State {
        var queue: [Message] = []
        var pending = 0
        var isScheduled = false
        var isClosed = false
    }

    private let state = AsyncCondition(State())
    private let limit: Int
    private let unreadBytes: UnreadBytes?
    private let scheduleSend: @Sendable () -> Void

    init(limit: Int, unreadBytes: UnreadBytes?, scheduleSend: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.unreadBytes = unreadBytes
        self.scheduleSend = scheduleSend
    }

    /// Queues as many messages as there is room for, in order, and returns their number.
    func post(_ messages: ArraySlice<Message>) -> Int {
        let (count, isFirst) = state.update { state in
            let count = state.isClosed ? 0 : min(messages.count, limit - state.pending)
            let queued = messages.prefix(count)
            if let unreadBytes {
                state.queue += queued.map(unreadBytes.reserve(for:))
            } else {
                state.queue += queued
            }
            state.pending += count
            let isFirst = count > 0 && !state.isScheduled
            if isFirst { state.isScheduled = true }
            return (count, isFirst)
        }
        if isFirst { scheduleSend() }
        return count
    }

    /// Suspends until half of the queue is free; returns false if it is closed or the task is cancelled.
    func waitForRoom() async -> Bool {
        let limit = limit
        guard await state.wait(until: { $0.pending <= limit / 2 || $0.isClosed }) else { return false }
        return state.read { !$0.isClosed }
    }

    /// Rejects all further messages; the queued ones can still be drained.
    func close() {
        state.update { $0.isClosed = true }
    }

    /// Removes and returns all queued messages. If there are none, the next message schedules the socket again.
    func drain() -> [Message] {
        state.update { state in
            defer { state.queue = [] }
            state.isScheduled = !state.queue.isEmpty
            return state.queue
        }
    }

    func complete(_ count: Int) {
        state.update { $0.pending -= count }
    }
}

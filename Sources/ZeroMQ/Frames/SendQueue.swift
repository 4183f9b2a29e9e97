internal import Concurrency

/// A bounded queue of messages to send, from tasks to the I/O thread.
///
/// Only the first message of a burst wakes the I/O thread. A message counts against the limit until libzmq has it or it is
/// dropped.
final class SendQueue: Sendable {
    private struct State {
        var queue = MessageQueue()
        var pending = 0
        var isScheduled = false
        var isClosed = false
    }

    private let state = AsyncCondition(State())
    private let limit: Int
    private let unreadBytes: ConnectionGuard.UnreadBytes?
    private let scheduleSend: @Sendable () -> Void

    init(limit: Int, unreadBytes: ConnectionGuard.UnreadBytes?, scheduleSend: @escaping @Sendable () -> Void) {
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
                state.queue.append(queued.map(unreadBytes.reserve(for:))[...])
            } else {
                state.queue.append(queued)
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
    func drain() -> MessageQueue {
        state.update { state in
            defer { state.queue = MessageQueue() }
            state.isScheduled = !state.queue.isEmpty
            return state.queue
        }
    }

    func complete(_ count: Int) {
        state.update { $0.pending -= count }
    }
}

/// Messages in order, kept in the bursts in which they were queued, so that no message is copied however many wait.
struct MessageQueue: Sendable {
    private var bursts: ArraySlice<ArraySlice<Message>> = []

    var isEmpty: Bool { bursts.isEmpty }

    var count: Int { bursts.reduce(0) { $0 + $1.count } }

    mutating func append(_ burst: ArraySlice<Message>) {
        if !burst.isEmpty { bursts.append(burst) }
    }

    /// Calls `body` with the messages in order and removes those for which it returns true.
    ///
    /// Stops after `limit` messages and at the first for which `body` returns false.
    mutating func removeFirst(atMost limit: Int, while body: (Message) -> Bool) -> Int {
        var removed = 0
        while removed < limit, let burst = bursts.first {
            let done = burst.prefix(limit - removed).prefix(while: body).count
            removed += done
            guard done == burst.count else {
                bursts[bursts.startIndex].removeFirst(done)
                break
            }
            bursts[bursts.startIndex] = []  // frees the memory, which the slice would keep
            bursts.removeFirst()
        }
        return removed
    }
}

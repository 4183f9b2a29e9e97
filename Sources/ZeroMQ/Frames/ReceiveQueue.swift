internal import Concurrency

/// A bounded queue of received messages, from the I/O thread to tasks.
///
/// See docs/decisions/socket-event-loop.md.
final class ReceiveQueue: Sendable {
    /// The kind of message that the queue still accepts.
    enum Acceptance {
        case messages
        /// The queue is full of messages; it accepts only truncated ones, which the program can reply to.
        case truncatedMessages
        case none
    }

    struct State {
        var messages: [Message] = []
        var footprint = 0
        var isFinished = false
        /// The number of messages removed since the queue was last empty; `truncatedIndices` count from there.
        var removedCount = 0
        /// The index of each truncated message since the last whole one, by its frames.
        var truncatedIndices: [[[UInt8]]: Int] = [:]
    }

    // Large enough to work in bulk, and small enough that the first message does not wait long for the last.
    private static let batchLimit = 1_000

    let state = AsyncCondition(State())
    private let limit: Int

    /// Makes a queue for `limit` bytes of messages, and the same again of truncated messages.
    init(limit: Int) {
        self.limit = limit
    }

    var capacity: Acceptance {
        switch state.read(\.footprint) {
        case ..<limit: .messages
        case ..<(2 * limit): .truncatedMessages
        default: .none
        }
    }

    /// Appends messages whose size in memory is `footprint` bytes in all.
    func append(_ batch: [Message], footprint: Int) {
        state.update { state in
            if state.messages.isEmpty { state.messages = batch } else { state.messages += batch }
            state.footprint += footprint
            state.truncatedIndices = [:]
        }
    }

    func appendTruncated(_ batch: [Message]) {
        state.update { state in
            for message in batch { state.appendTruncated(message) }
        }
    }

    func finish() {
        state.update { $0.isFinished = true }
    }

    /// Suspends until there are messages, then removes and returns them.
    func next() async -> [Message]? {
        while await state.wait(until: { !$0.messages.isEmpty || $0.isFinished }) {
            // Another task may have removed the messages since.
            let (batch, isFinished) = state.update { state in (state.removeFirst(Self.batchLimit), state.isFinished) }
            if !batch.isEmpty { return batch }
            if isFinished { return nil }
        }
        return nil
    }
}

extension ReceiveQueue.State {
    fileprivate mutating func appendTruncated(_ message: Message) {
        // Equal messages are counted and not stored, so that one peer that floods the queue leaves room for the others.
        // Only without a whole message in between, which would otherwise be delivered out of order.
        if let index = truncatedIndices[message.frames], index >= removedCount {
            messages[index - removedCount].repeatCount += 1
        } else {
            truncatedIndices[message.frames] = removedCount + messages.count
            messages.append(message)
            footprint += message.footprint
        }
    }

    /// Removes and returns the first `count` messages, or all if there are fewer.
    fileprivate mutating func removeFirst(_ count: Int) -> [Message] {
        guard messages.count > count || !truncatedIndices.isEmpty else {
            defer { self = ReceiveQueue.State(isFinished: isFinished) }
            return messages
        }
        var batch: [Message] = []
        var removed = 0
        while removed < messages.count, batch.count < count {
            let repeats = min(messages[removed].repeatCount, count - batch.count)
            batch += repeatElement(messages[removed], count: repeats)
            messages[removed].repeatCount -= repeats
            if messages[removed].repeatCount > 0 { break }
            footprint -= messages[removed].footprint
            removed += 1
        }
        messages.removeFirst(removed)
        removedCount += removed
        return batch
    }
}

internal import Concurrency

/// The bounded hand-over of batches from the I/O thread to a task.
///
/// The reader takes up to a thousand messages under one lock.
///
/// See docs/decisions/0034-socket-receive-loop.md.
final class ReceiveQueue: Sendable {
    /// What there is room for.
    enum Room {
        case messages
        /// So much waits that only the beginnings of further messages are kept, for an answer.
        case beginnings
        case nothing
    }

    struct State {
        var messages: [Message] = []
        var footprint = 0
        var isFinished = false
        /// How many were there before `messages`, since there was nothing.
        var taken = 0
        /// Where those stand that were refused since the last that was not, counted from then, by their frames.
        var refused: [[[UInt8]]: Int] = [:]
    }

    /// Enough for the reader to work in bulk, and not so much that the first waits long for the last.
    private static let batchLimit = 1_000

    let state = AsyncCondition(State())
    private let limit: Int

    /// Holds `limit` bytes of messages, and as much again of beginnings, equal ones once.
    init(limit: Int) {
        self.limit = limit
    }

    /// What there is room for now.
    var room: Room {
        switch state.read(\.footprint) {
        case ..<limit: .messages
        case ..<(2 * limit): .beginnings
        default: .nothing
        }
    }

    /// Adds a batch that takes so much memory.
    func put(_ batch: [Message], footprint: Int) {
        state.update { state in
            if state.messages.isEmpty { state.messages = batch } else { state.messages += batch }
            state.footprint += footprint
            state.refused = [:]
        }
    }

    /// Adds beginnings of messages that there was no room for.
    ///
    /// Whoever sends without end has them counted rather than kept, so that there is an answer left for everybody.
    func refuse(_ batch: [Message]) {
        state.update { state in
            for message in batch { state.refuse(message) }
        }
    }

    /// Ends the sequence once what was put is taken.
    func finish() {
        state.update { $0.isFinished = true }
    }

    /// What there is, as soon as there is anything; nothing once finished, or when the task is cancelled.
    func next() async -> [Message]? {
        while await state.wait(until: { !$0.messages.isEmpty || $0.isFinished }) {
            let (batch, isFinished) = state.update { state in (state.take(Self.batchLimit), state.isFinished) }
            if !batch.isEmpty { return batch }
            if isFinished { return nil }
        }
        return nil
    }
}

extension ReceiveQueue.State {
    /// Adds a beginning; behind another of the same peer, with none between that was not refused, it only counts.
    fileprivate mutating func refuse(_ message: Message) {
        if let place = refused[message.frames], place >= taken {
            messages[place - taken].copies += 1
        } else {
            refused[message.frames] = taken + messages.count
            messages.append(message)
            footprint += message.footprint
        }
    }

    /// The first so many messages, which are gone then.
    fileprivate mutating func take(_ count: Int) -> [Message] {
        guard messages.count > count || !refused.isEmpty else {
            defer { self = ReceiveQueue.State(isFinished: isFinished) }
            return messages
        }
        var batch: [Message] = []
        var whole = 0
        while whole < messages.count, batch.count < count {
            let copies = min(messages[whole].copies, count - batch.count)
            batch += repeatElement(messages[whole], count: copies)
            messages[whole].copies -= copies
            if messages[whole].copies > 0 { break }
            footprint -= messages[whole].footprint
            whole += 1
        }
        messages.removeFirst(whole)
        taken += whole
        return batch
    }
}

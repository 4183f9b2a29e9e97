/// The bounded hand-over of batches from the I/O thread to a task.
///
/// The reader takes all there is under one lock. When the limit is reached, the I/O thread stops reading the socket until the
/// reader has come, so that ZeroMQ's high-water mark, and behind it TCP, slows the peer down. Nothing is dropped.
final class Inbox: Sendable {
    struct State {
        var messages: [Message] = []
        var byteCount = 0
        var isPaused = false
        var isFinished = false
    }

    /// Enough for any burst of ordinary messages; it keeps few huge ones from filling the memory.
    private static let byteLimit = 16 << 20

    let state = Awaitable(State())
    private let limit: Int
    private let resume: @Sendable () -> Void

    /// `resume` is called, on the reader's thread, when there is room again after there was none.
    init(limit: Int, resume: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.resume = resume
    }

    /// Adds a batch; returns how many more messages there is room for, and with none, that `resume` will follow.
    func put(_ batch: [Message]) -> Int {
        let byteCount = batch.reduce(0) { $0 + $1.byteCount }
        return state.update { state in
            if state.messages.isEmpty { state.messages = batch } else { state.messages += batch }
            state.byteCount += byteCount
            let room = state.byteCount < Self.byteLimit ? max(0, limit - state.messages.count) : 0
            state.isPaused = room == 0
            return room
        }
    }

    /// Ends the sequence once what was put is taken.
    func finish() {
        state.update { $0.isFinished = true }
    }

    /// All there is, as soon as there is anything; nothing once finished, or when the task is cancelled.
    func next(isolation: isolated (any Actor)? = #isolation) async -> [Message]? {
        while await state.wait(until: { !$0.messages.isEmpty || $0.isFinished }) {
            let (batch, wasPaused, isFinished) = state.update { state in
                defer { state = State(isFinished: state.isFinished) }
                return (state.messages, state.isPaused, state.isFinished)
            }
            if wasPaused { resume() }
            if !batch.isEmpty { return batch }
            if isFinished { return nil }
        }
        return nil
    }
}

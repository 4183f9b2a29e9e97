internal import CZMQ
internal import Locking

/// A socket as the I/O thread sees it: what to poll for, and what to do then.
final class PolledSocket {
    /// One turn's work, so that a busy socket starves no other.
    private static let messagesPerTurn = 256
    private static let bytesPerTurn = 1 << 20

    let handle: SocketHandle
    /// Where libzmq tells what becomes of the connections, if anybody wants to know.
    private(set) var monitor: Ear?
    private let kind: SocketKind
    private let options: SocketOptions
    private let exchange: Exchange
    /// Whether messages tell who sent them: peers come to a socket that is bound, and are known otherwise.
    private let tellsSender: Bool

    /// How many messages may be read before the inbox is full.
    private var room: Int
    private var sending: ArraySlice<Message> = []
    private var isScheduled = false
    private var isBlocked = false
    private var closing: (deadline: ContinuousClock.Instant, done: [@Sendable () -> Void])?

    init(
        _ handle: consuming SocketHandle, monitor: Ear?, kind: SocketKind, options: SocketOptions, exchange: Exchange,
        isBound: Bool
    ) {
        self.handle = handle
        self.monitor = monitor
        tellsSender = isBound && kind != .publisher
        self.kind = kind
        self.options = options
        self.exchange = exchange
        room = kind == .publisher ? .max : options.inboxLimit
    }

    /// What zmq_poll(3) is to wait for.
    var interest: Int32 {
        (room > 0 && closing == nil ? ZMQ_POLLIN : 0) | (isBlocked ? ZMQ_POLLOUT : 0)
    }

    /// Whether there is something to send now, with no need to wait.
    var isBusy: Bool { isScheduled && !isBlocked }

    /// When the closing socket gives up sending, if it is closing.
    var deadline: ContinuousClock.Instant? { closing?.deadline }

    /// Whether the socket is closing and has nothing more to send, or no more time.
    func isDone(at now: ContinuousClock.Instant) -> Bool {
        guard let closing else { return false }
        return !isScheduled || closing.deadline <= now
    }

    /// Reads what it can within one turn's budget, and notes that a blocked peer has room.
    func react(to events: Int32) {
        if events & ZMQ_POLLOUT != 0 { isBlocked = false }
        if events & ZMQ_POLLIN != 0 { receive() }
    }

    /// The outbox has something.
    func schedule() {
        isScheduled = true
    }

    /// The inbox has room again.
    func resume() {
        room = exchange.inbox.put([])
    }

    /// Stops reading, goes on sending for at most the linger; `done` is called once closed.
    func close(done: @escaping @Sendable () -> Void) {
        exchange.close()
        closing = (closing?.deadline ?? .now + options.linger, (closing?.done ?? []) + [done])
        // The word that something was posted may still be on its way here.
        isScheduled = true
    }

    /// The end: counts what was not sent and leaves libzmq the rest of the linger for what was.
    func finish(at now: ContinuousClock.Instant) {
        guard let closing else { return }
        let unsent = sending.count + exchange.outbox.take().count
        exchange.counters.withLock { $0.dropped += unsent }
        handle.set(SocketSetting("ZMQ_LINGER", ZMQ_LINGER, (closing.deadline - now).milliseconds))
        // Before the ear is gone: libzmq would wait for ever to tell a socket that nobody reads.
        handle.endMonitor()
        monitor = nil
    }

    /// Tells those who wait for the end.
    func tellClosed() {
        for done in closing?.done ?? [] { done() }
    }

    private func receive() {
        var batch: [Message] = []
        var byteCount = 0
        var refused = 0
        reading: for _ in 0..<min(room, Self.messagesPerTurn) where byteCount < Self.bytesPerTurn {
            switch handle.receive(maximumFrames: options.maximumFrames, tellsSender: tellsSender) {
            case .nothing: break reading
            case .broken: refused += 1
            case .message(let message) where message.isCut && kind != .router: refused += 1
            case .message(let message):
                if message.isCut { refused += 1 }
                byteCount += message.byteCount
                batch.append(message)
            }
        }
        if kind == .publisher {
            refused += batch.count { !exchange.subscribers.note($0) }
            batch = []
        }
        exchange.counters.withLock { counters in
            counters.received += batch.count
            counters.refused += refused
        }
        if !batch.isEmpty { room = exchange.inbox.put(batch) }
    }

    /// Sends what it can within one turn's budget.
    func send() {
        if sending.isEmpty {
            sending = exchange.outbox.take()[...]
            isScheduled = !sending.isEmpty
        }
        var result = SocketCounters()
        sending: for message in sending.prefix(Self.messagesPerTurn) {
            switch handle.send(message) {
            case .sent: result.sent += 1
            case .unroutable: result.unroutable += 1
            case .full where kind == .dealer:
                isBlocked = true
                break sending
            // One peer that does not read must not keep the others waiting.
            case .full: result.dropped += 1
            }
        }
        let settled = result.sent + result.unroutable + result.dropped
        sending = sending.dropFirst(settled)
        exchange.counters.withLock { counters in
            counters.sent += result.sent
            counters.unroutable += result.unroutable
            counters.dropped += result.dropped
        }
        exchange.outbox.settle(settled)
    }
}

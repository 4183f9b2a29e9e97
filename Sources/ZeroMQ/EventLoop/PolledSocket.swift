internal import CZMQ
internal import Concurrency

/// A socket as the I/O thread sees it: when to look at it, and what to do then.
final class PolledSocket: PollSource {
    /// One turn's work, so that a busy socket starves no other.
    private static let messagesPerTurn = 256
    private static let bytesPerTurn = 1 << 20

    let handle: SocketHandle
    /// Where libzmq tells what becomes of the connections, if anybody wants to know.
    private(set) var monitor: InprocEndpoint?
    var mustLook = true
    /// The connections of the peers that came to it, if it is bound.
    private let watch: ConnectionMonitor?
    private let kind: SocketKind
    private let options: SocketOptions
    private let exchange: SharedSocketState
    /// Whether messages tell who sent them: peers come to a socket that is bound, and are known otherwise.
    private let tellsSender: Bool
    private var sending = MessageQueue()
    private var isScheduled = false
    private var isBlocked = false
    private var closing: (deadline: Duration, done: [@Sendable () -> Void])?

    init(
        _ handle: consuming SocketHandle, monitor: InprocEndpoint?, watch: ConnectionMonitor?, kind: SocketKind,
        options: SocketOptions, exchange: SharedSocketState
    ) {
        self.handle = handle
        self.monitor = monitor
        self.watch = watch
        tellsSender = watch != nil && kind != .publisher
        self.kind = kind
        self.options = options
        self.exchange = exchange
    }

    var descriptor: Int32 { handle.descriptor }

    /// Whether there is something to send now, with no need to wait.
    var isBusy: Bool { isScheduled && !isBlocked }

    /// When the closing socket gives up sending, if it is closing.
    var deadline: Duration? { closing?.deadline }

    /// Whether it reads no more, and sends only what it has.
    var isClosing: Bool { closing != nil }

    /// When its connections are to be looked at next, if there are any.
    var nextLook: Duration? { closing == nil ? watch?.nextLook : nil }

    /// Looks at its connections if it is time, once everybody who had sent a whole message has been heard.
    func watchConnections(at now: Duration) {
        guard let watch, let nextLook, nextLook <= now, !mustLook || watch.hasHeardAll else { return }
        watch.look(at: now)
    }

    /// Whether the socket is closing and has nothing more to send, or no more time.
    func isDone(at now: Duration) -> Bool {
        guard let closing else { return false }
        return !isScheduled || closing.deadline <= now
    }

    /// Reads what it can within one turn's budget, and notes that a blocked peer has room.
    func look() {
        // To find nothing more to receive takes in the news, too.
        var events = closing == nil && !receivesAll() ? ZMQ_POLLIN : 0
        if isBlocked || closing != nil { events |= handle.takeInNews() }
        if events & ZMQ_POLLOUT != 0 { isBlocked = false }
        mustLook = closing == nil && events & ZMQ_POLLIN != 0
    }

    /// The outbox has something.
    func schedule() {
        isScheduled = true
    }

    /// Stops reading, goes on sending for at most the linger; `done` is called once closed.
    func close(done: @escaping @Sendable () -> Void) {
        exchange.close()
        closing = (closing?.deadline ?? .uptime + options.linger, (closing?.done ?? []) + [done])
        // The word that something was posted may still be on its way here.
        isScheduled = true
        mustLook = true
    }

    /// The end: counts what was not sent and leaves libzmq the rest of the linger for what was.
    func finish(at now: Duration) {
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

    /// Reads what there is, whether or not there is room for it: in libzmq it must not pile up. False if there may be more.
    private func receivesAll() -> Bool {
        let room = exchange.inbox.room
        var batch: [Message] = []
        var footprint = 0
        var isAll = false
        var done = SocketCounters()
        reading: for _ in 0..<Self.messagesPerTurn where footprint < Self.bytesPerTurn {
            switch next(in: room) {
            case .nothing:
                isAll = true
                break reading
            case .broken:
                watch?.hear(from: handle.source, as: nil)
                done.refused += 1
            case .message(let message):
                watch?.hear(from: handle.source, as: kind == .router ? message.frames[0] : nil)
                if message.cut != nil { done.refused += 1 } else { done.received += 1 }
                footprint += message.footprint
                batch.append(message)
            }
        }
        if kind == .publisher {
            done.refused += batch.count { !exchange.subscribers.note($0) }
            done.received = 0
            batch = []
        }
        exchange.counters.withLock { $0 += done }
        if case .messages = room, !batch.isEmpty { exchange.inbox.put(batch, footprint: footprint) }
        if case .beginnings = room { exchange.inbox.refuse(batch) }
        return isAll
    }

    /// Gives a message to libzmq, and counts what becomes of it; false if it waits for room.
    private func transmit(_ message: Message, counting done: inout SocketCounters) -> Bool {
        switch handle.send(message) {
        case .sent: done.sent += 1
        case .unroutable: done.unroutable += 1
        case .full where kind == .dealer:
            isBlocked = true
            return false
        // One peer that does not read must not keep the others waiting.
        case .full: done.dropped += 1
        }
        return true
    }

    /// The next message, as far as there is room for it, and as far as somebody could be told of what is missing.
    private func next(in room: ReceiveQueue.Room) -> SocketHandle.ReceiveResult {
        switch room {
        case .messages:
            let reception = handle.receive(maximumFrames: options.maximumFrames, tellsSender: tellsSender)
            guard case .message(let message) = reception, message.cut != nil, kind != .router else { return reception }
            return .broken
        case .beginnings where kind == .router:
            // The way back, and no more: the routing id, and the empty frame after it if there is one.
            let reception = handle.receive(maximumFrames: 2)
            guard case .message(var message) = reception else { return reception }
            if message.frames.last != [] { message.frames = [message.frames[0]] }
            message.cut = .noRoom
            return .message(message)
        case .beginnings, .nothing:
            return handle.discard() ? .broken : .nothing
        }
    }

    /// Sends what it can within one turn's budget.
    func send() {
        mustLook = true
        if sending.isEmpty { sending = exchange.outbox.take() }
        var done = SocketCounters()
        let settled = sending.removeFirst(atMost: Self.messagesPerTurn) { transmit($0, counting: &done) }
        exchange.counters.withLock { $0 += done }
        exchange.outbox.settle(settled)
        // Who has posted more meanwhile did not say so.
        if sending.isEmpty { sending = exchange.outbox.take() }
        isScheduled = !sending.isEmpty
    }
}

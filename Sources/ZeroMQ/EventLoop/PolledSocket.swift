internal import CZMQ
internal import Concurrency

/// A socket as the I/O thread sees it: when it needs work, and the steps of receiving, sending and closing.
final class PolledSocket: PollSource {
    // The limits of one step, so that a busy socket does not starve the others.
    private static let messagesPerStep = 256
    private static let bytesPerStep = 1 << 20

    let handle: SocketHandle
    /// Whether the socket may have work; also after the end of a connection, whose descriptor is known to be free once the
    /// socket has been read.
    var needsPoll: Bool {
        get { isDue || closing == nil && connections.monitor?.hasEndedConnections == true }
        set { isDue = newValue }
    }
    private var isDue = true
    let connections: ConnectionGuard
    private let shared: SharedSocketState
    /// The messages that the send queue had when it was drained, the last one first.
    private var sending: [Message] = []
    private var hasMessagesToSend = false
    /// Whether a message waits until the peer has room for it.
    private var isBlocked = false
    private var closing: (deadline: ContinuousClock.Instant, handlers: [@Sendable () -> Void])?

    init(_ handle: consuming SocketHandle, _ connections: ConnectionGuard, _ shared: SharedSocketState) {
        self.handle = handle
        self.connections = connections
        self.shared = shared
    }

    var descriptor: Int32 { handle.descriptor }

    private var kind: SocketKind { shared.kind }

    /// Whether the socket has something to send and does not wait for a peer.
    var canSend: Bool { hasMessagesToSend && !isBlocked }

    // MARK: - Receiving

    /// Receives one step's messages and checks whether a blocked peer has room again.
    func poll() {
        connections.publisher?.beginWork()
        // A receive that finds nothing has read the events, too.
        var events = closing == nil && !receiveStep() ? ZMQ_POLLIN : 0
        if isBlocked || closing != nil { events |= handle.refreshEvents() }
        if events & ZMQ_POLLOUT != 0 { isBlocked = false }
        needsPoll = closing == nil && events & ZMQ_POLLIN != 0
        if !needsPoll { connections.publisher?.endWork() }
    }

    private func receiveStep() -> Bool {
        connections.events?.poll()
        let begin = ContinuousClock.now
        // Messages are read even when there is no room for them, so that they do not pile up in libzmq.
        let capacity = shared.receiveQueue.capacity
        var batch: [Message] = []
        var descriptors: [Int32] = []
        var footprint = 0
        var hasReadAll = false
        var counts = SocketCounters()
        reading: for _ in 0..<Self.messagesPerStep where footprint < Self.bytesPerStep {
            switch receive(with: capacity) {
            case .nothing:
                hasReadAll = true
                break reading
            case .discarded:
                connections.monitor?.recordDiscardedMessage(over: handle.connectionDescriptor)
                counts.refused += 1
            case .message(let message):
                if connections.isServer { descriptors.append(handle.connectionDescriptor) }
                footprint += message.footprint
                batch.append(message)
            }
        }
        let count = batch.count
        connections.admit(&batch, over: descriptors, readSince: begin, isDrained: hasReadAll)
        if batch.count < count { footprint = batch.reduce(0) { $0 + $1.footprint } }
        if kind == .publisher {
            countSubscriptions(in: batch, &counts)
            batch = []
        } else {
            counts.received = batch.count { $0.truncation == nil }
            counts.refused += count - counts.received
        }
        shared.counters.withLock { $0 += counts }
        switch capacity {
        case .messages where !batch.isEmpty: shared.receiveQueue.append(batch, footprint: footprint)
        case .truncatedMessages: shared.receiveQueue.appendTruncated(batch)
        case .messages, .none: break
        }
        return hasReadAll
    }

    /// Counts what an XPUB socket has received: a byte 1 (subscribe) or 0 (unsubscribe) and the prefix, or what is no such
    /// message.
    private func countSubscriptions(in messages: [Message], _ counts: inout SocketCounters) {
        let verbs = messages.map { $0.frames.count == 1 ? $0.frames[0].first : nil }
        counts.refused += verbs.count { $0 != 0 && $0 != 1 }
        let new = verbs.count { $0 == 1 }
        if new > 0 { shared.subscriptions.update { $0.received += new } }
    }

    /// Receives the next message, or as much of it as there is capacity for and a reply to it needs.
    private func receive(with capacity: ReceiveQueue.Acceptance) -> SocketHandle.ReceiveResult {
        switch capacity {
        case .messages:
            let result = handle.receive(
                maximumFrames: shared.options.maximumFrames, identifiesPeer: connections.identifiesPeers)
            guard case .message(let message) = result, message.truncation != nil, kind != .router else { return result }
            return .discarded
        case .truncatedMessages where kind == .router:
            // Only what a reply needs.
            let limits = Message.maximumEnvelope
            let result = handle.receive(maximumFrames: limits.frames, maximumBytes: limits.bytes)
            guard case .message(var message) = result else { return result }
            message.frames.removeSubrange(message.envelopeLength...)
            message.truncation = .noRoom
            return .message(message)
        case .truncatedMessages, .none:
            return handle.discardMessage() ? .discarded : .nothing
        }
    }

    // MARK: - Sending

    func scheduleSend() {
        hasMessagesToSend = true
    }

    func send() {
        needsPoll = true
        connections.publisher?.beginWork()
        if sending.isEmpty { sending = shared.sendQueue.drain().reversed() }
        // So that the end of each connection is known whose routing id another one may have by now.
        if kind == .router { connections.events?.poll() }
        var counts = SocketCounters()
        let count = sending.count
        for _ in 0..<Self.messagesPerStep {
            guard let message = sending.last, transmit(message, counting: &counts) else { break }
            sending.removeLast()
        }
        shared.counters.withLock { $0 += counts }
        shared.sendQueue.complete(count - sending.count)
        // A task that has posted meanwhile has not scheduled the socket, because it was scheduled already.
        if sending.isEmpty { sending = shared.sendQueue.drain().reversed() }
        hasMessagesToSend = !sending.isEmpty
    }

    /// Gives a message to libzmq and counts the result; returns false if the message must wait for the peer.
    private func transmit(_ message: Message, counting counts: inout SocketCounters) -> Bool {
        guard connections.canSend(message) else {
            counts.unroutable += 1
            return true
        }
        switch handle.send(message) {
        case .sent: counts.sent += 1
        case .unroutable: counts.unroutable += 1
        case .full where kind == .dealer:
            isBlocked = true
            return false
        // One peer that does not read must not keep the others waiting.
        case .full: counts.dropped += 1
        }
        return true
    }

    // MARK: - Connections

    var nextScan: ContinuousClock.Instant? { closing == nil ? connections.monitor?.nextScan : nil }

    /// Looks at the connections if it is time and every message that was complete the last time has been received.
    func scanConnectionsIfDue(at now: ContinuousClock.Instant) {
        guard let nextScan, nextScan <= now, let monitor = connections.monitor else { return }
        if !needsPoll || monitor.hasReceivedBacklog { monitor.scan(at: now) }
    }

    // MARK: - Closing

    /// Until when the socket, which receives no more, sends its queued messages; nil if it is not closing.
    var deadline: ContinuousClock.Instant? { closing?.deadline }

    /// Whether the socket is closing and has nothing more to send, or no more time.
    func hasFinishedSending(at now: ContinuousClock.Instant) -> Bool {
        guard let closing else { return false }
        return !hasMessagesToSend || closing.deadline <= now
    }

    /// Stops receiving and goes on sending for at most the linger; `handler` is called when the socket is closed.
    func close(then handler: @escaping @Sendable () -> Void) {
        shared.close()
        closing = (closing?.deadline ?? .now + shared.options.linger, (closing?.handlers ?? []) + [handler])
        // A message may be queued whose wakeup has not arrived here yet.
        hasMessagesToSend = true
        needsPoll = true
    }

    /// Closes the socket; returns what to call once it is closed.
    func finish(at now: ContinuousClock.Instant) -> [@Sendable () -> Void] {
        guard let closing else { return [] }
        let unsent = sending.count + shared.sendQueue.drain().count
        shared.counters.withLock { $0.dropped += unsent }
        handle.set(SocketSetting(ZMQ_LINGER, (closing.deadline - now).milliseconds))
        connections.close(handle)
        return closing.handlers
    }
}

/// A socket on which libzmq itself talks to the I/O thread: the requests of ZAP, and the events of a monitored socket.
final class InprocEndpoint: PollSource {
    // Without limits, so that libzmq's own threads never wait for this one.
    private static let settings = [
        SocketSetting(ZMQ_LINGER, 0),
        SocketSetting(ZMQ_RCVHWM, 0),
        SocketSetting(ZMQ_SNDHWM, 0),
    ]

    private let handle: SocketHandle
    private let onMessage: (Message) -> Message?
    private let onEmpty: () -> Void
    var needsPoll = true

    /// Opens a socket that only the I/O thread uses, and binds it if it replies, else connects it.
    init(
        _ type: Int32, at address: String, in context: Context, onMessage: @escaping (Message) -> Message?,
        onEmpty: @escaping () -> Void = {}
    ) throws(ZeroMQError) {
        self.onMessage = onMessage
        self.onEmpty = onEmpty
        handle = try SocketHandle(type, named: address, settings: Self.settings, context: context.pointer)
        if type == ZMQ_REP { _ = try handle.bind(to: address) } else { try handle.connect(to: address) }
    }

    var descriptor: Int32 { handle.descriptor }

    func poll() {
        needsPoll = false
        while case .message(let message) = handle.receive(maximumFrames: 16) {
            if let reply = onMessage(message) { _ = handle.send(reply) }
        }
        onEmpty()
    }
}

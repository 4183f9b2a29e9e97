internal import CZMQ
internal import Concurrency

/// A socket as the I/O thread sees it: when it needs work, and the steps of receiving, sending and closing.
final class PolledSocket: PollSource {
    // The limits of one step, so that a busy socket does not starve the others.
    private static let messagesPerStep = 256
    private static let bytesPerStep = 1 << 20

    let handle: SocketHandle
    /// Receives libzmq's events of this socket's connections; nil if they are not monitored.
    private(set) var monitorEndpoint: InprocEndpoint?
    /// Whether the socket may have work; also after the end of a connection, whose descriptor is known to be free once the
    /// socket has been read.
    var needsPoll: Bool {
        get { isDue || connections?.hasEndedConnections == true && closing == nil }
        set { isDue = newValue }
    }
    private var isDue = true
    /// The connections of this socket's clients; nil if it is not bound, and for a publisher.
    private let connections: ConnectionMonitor?
    /// The connections of a bound publisher's clients; nil for other sockets.
    private let publisherMonitor: PublisherMonitor?
    private let kind: SocketKind
    private let options: SocketOptions
    /// Whether all clients are in this process, and have no connection.
    private let isLocal: Bool
    private let shared: SharedSocketState
    /// Whether messages carry the identity of their peer.
    private let identifiesPeers: Bool
    private var sending = MessageQueue()
    private var hasMessagesToSend = false
    /// Whether a message waits until the peer has room for it.
    private var isBlocked = false
    private var closing: (deadline: MonotonicTime, handlers: [@Sendable () -> Void])?

    init(
        _ handle: consuming SocketHandle, monitorEndpoint: InprocEndpoint?, connections: ConnectionMonitor?,
        publisherMonitor: PublisherMonitor?, kind: SocketKind, options: SocketOptions, isLocal: Bool,
        shared: SharedSocketState
    ) {
        self.handle = handle
        self.monitorEndpoint = monitorEndpoint
        self.connections = connections
        self.publisherMonitor = publisherMonitor
        identifiesPeers = connections != nil || publisherMonitor?.identifiesPeers == true
        self.kind = kind
        self.options = options
        self.isLocal = isLocal
        self.shared = shared
    }

    var descriptor: Int32 { handle.descriptor }

    /// Whether the socket has something to send and does not wait for a peer.
    var canSend: Bool { hasMessagesToSend && !isBlocked }

    // MARK: - Receiving

    /// Receives one step's messages and checks whether a blocked peer has room again.
    func poll() {
        publisherMonitor?.beginWork()
        // A receive that finds nothing has read the events, too.
        var events = closing == nil && !receiveStep() ? ZMQ_POLLIN : 0
        if isBlocked || closing != nil { events |= handle.refreshEvents() }
        if events & ZMQ_POLLOUT != 0 { isBlocked = false }
        needsPoll = closing == nil && events & ZMQ_POLLIN != 0
        if !needsPoll { publisherMonitor?.endWork() }
    }

    /// Receives up to one step's messages; returns false if more may be there.
    private func receiveStep() -> Bool {
        monitorEndpoint?.poll()
        let begin = MonotonicTime.now
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
                connections?.recordDiscardedMessage(over: handle.connectionDescriptor)
                counts.refused += 1
            case .message(let message):
                if connections != nil || publisherMonitor != nil { descriptors.append(handle.connectionDescriptor) }
                if message.truncation != nil { counts.refused += 1 } else { counts.received += 1 }
                footprint += message.footprint
                batch.append(message)
            }
        }
        if let connections {
            if !connections.isEncrypted { monitorEndpoint?.poll() }
            var discarded: [Int] = []
            for (index, descriptor) in descriptors.enumerated()
            where !connections.attribute(&batch[index], over: descriptor) || !admit(&batch[index], over: descriptor) {
                discarded.append(index)
            }
            for index in discarded.reversed() {
                let message = batch.remove(at: index)
                footprint -= message.footprint
                if message.truncation == nil {
                    counts.received -= 1
                    counts.refused += 1
                }
            }
            if hasReadAll { connections.recordEmptySocket(readSince: begin) }
        }
        if kind == .publisher {
            publisherMonitor?.record(batch, over: descriptors, readSince: begin, isDrained: hasReadAll)
            counts.refused += batch.count { !shared.subscribers.record($0) }
            counts.received = 0
            batch = []
        }
        shared.counters.withLock { $0 += counts }
        switch capacity {
        case .messages where !batch.isEmpty: shared.receiveQueue.append(batch, footprint: footprint)
        case .truncatedMessages: shared.receiveQueue.appendTruncated(batch)
        case .messages, .none: break
        }
        return hasReadAll
    }

    /// Marks a message of a client of ZMTP 1.0 or 2.0 as not to be used; returns whether it is delivered, to be answered.
    ///
    /// libzmq does not say over which connection it came, so no limit would hold for that client.
    private func admit(_ message: inout Message, over descriptor: Int32) -> Bool {
        guard descriptor < 0, !isLocal else { return true }
        guard kind == .router else {
            connections?.reportFailure(.version, nil)
            return false
        }
        message.truncation = message.truncation ?? .oldPeer
        return true
    }

    /// Receives the next message, or as much of it as there is capacity for and a reply to it needs.
    private func receive(with capacity: ReceiveQueue.Capacity) -> SocketHandle.ReceiveResult {
        switch capacity {
        case .messages:
            let result = handle.receive(maximumFrames: options.maximumFrames, identifiesPeer: identifiesPeers)
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

    /// Marks that the send queue has messages.
    func scheduleSend() {
        hasMessagesToSend = true
    }

    /// Sends up to one step's messages.
    func send() {
        needsPoll = true
        publisherMonitor?.beginWork()
        if sending.isEmpty { sending = shared.sendQueue.drain() }
        // So that the end of each connection is known whose routing id another one may have by now.
        if kind == .router { monitorEndpoint?.poll() }
        var counts = SocketCounters()
        let completed = sending.removeFirst(atMost: Self.messagesPerStep) { transmit($0, counting: &counts) }
        shared.counters.withLock { $0 += counts }
        shared.sendQueue.complete(completed)
        // A task that has posted meanwhile has not scheduled the socket, because it was scheduled already.
        if sending.isEmpty { sending = shared.sendQueue.drain() }
        hasMessagesToSend = !sending.isEmpty
    }

    /// Gives a message to libzmq and counts the result; returns false if the message must wait for the peer.
    private func transmit(_ message: Message, counting counts: inout SocketCounters) -> Bool {
        if let connection = message.connection, connections?.isOpen(connection) == false {
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

    /// When the connections are to be looked at again; nil if there are none.
    var nextScan: MonotonicTime? {
        guard closing == nil, let connections else { return nil }
        guard let memoryCheck = connections.nextMemoryCheck else { return connections.nextScan }
        return min(memoryCheck, connections.nextScan ?? memoryCheck)
    }

    /// Checks the process's memory if it is time. Scans the connections if it is time and every message that was complete
    /// at the last scan has been received.
    func scanConnectionsIfDue(at now: MonotonicTime) {
        guard closing == nil, let connections else { return }
        if let memoryCheck = connections.nextMemoryCheck, memoryCheck <= now { connections.checkMemory(at: now) }
        guard let nextScan = connections.nextScan, nextScan <= now, !needsPoll || connections.hasReceivedBacklog else {
            return
        }
        connections.scan(at: now)
    }

    /// Disconnects the clients whose key has one of these names, and those whose key is not known.
    func disconnect(keys: Set<String>) {
        monitorEndpoint?.poll()
        connections?.disconnect(keys: keys)
        publisherMonitor?.disconnect(keys: keys)
    }

    // MARK: - Closing

    /// The time at which a closing socket stops sending; nil if it is not closing.
    var deadline: MonotonicTime? { closing?.deadline }

    /// Whether the socket receives no more and only sends its queued messages.
    var isClosing: Bool { closing != nil }

    /// Whether the socket is closing and has nothing more to send, or no more time.
    func hasFinishedSending(at now: MonotonicTime) -> Bool {
        guard let closing else { return false }
        return !hasMessagesToSend || closing.deadline <= now
    }

    /// Stops receiving and goes on sending for at most the linger; `handler` is called when the socket is closed.
    func close(then handler: @escaping @Sendable () -> Void) {
        shared.close()
        closing = (closing?.deadline ?? .now + options.linger, (closing?.handlers ?? []) + [handler])
        // A message may be queued whose wakeup has not arrived here yet.
        hasMessagesToSend = true
        needsPoll = true
    }

    /// Counts what was not sent, and lets libzmq use the rest of the linger for what was.
    func finish(at now: MonotonicTime) {
        guard let closing else { return }
        let unsent = sending.count + shared.sendQueue.drain().count
        shared.counters.withLock { $0.dropped += unsent }
        handle.set(SocketSetting("ZMQ_LINGER", ZMQ_LINGER, (closing.deadline - now).milliseconds))
        // Before its endpoint is closed, because libzmq would block forever on an event that no socket reads.
        handle.endMonitor()
        monitorEndpoint = nil
        publisherMonitor?.close()
    }

    /// Calls the handlers of all callers of `close`.
    func callCloseHandlers() {
        for handler in closing?.handlers ?? [] { handler() }
    }
}

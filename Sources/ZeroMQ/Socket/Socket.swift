internal import CZMQ
internal import Concurrency

/// A ZeroMQ socket that any task or thread can use.
///
/// The libzmq socket stays on its `IOThread`; this type holds the two bounded queues in between. The socket closes when
/// nothing refers to it any more, or with `close()`.
public final class Socket: Sendable {
    /// The addresses it is bound to, with the real port instead of `*`, then the addresses it connects to.
    public let addresses: [String]
    private let thread: IOThread
    let shared: SharedSocketState

    init(_ shared: SharedSocketState, _ addresses: [String], on thread: IOThread) {
        self.shared = shared
        self.addresses = addresses
        self.thread = thread
    }

    deinit {
        thread.wakeupQueue.post { [id = shared.id] in $0.close(id) {} }
    }

    /// What the socket does.
    public var kind: SocketKind { shared.kind }

    /// The counters of the socket's messages and connections.
    public var counters: SocketCounters {
        shared.counters.withLock { $0 }
    }

    // MARK: - Sending

    /// Queues messages in order without waiting.
    ///
    /// Use it for a publisher and a router, whose queue never waits for a peer: a message that a slow peer has no room for,
    /// and a message to a peer that is gone, is dropped and counted in `counters`.
    @discardableResult
    public func post(_ messages: [Message]) -> [Message] {
        validate(messages)
        return returnUnsent(messages[shared.sendQueue.post(messages[...])...])
    }

    /// Queues messages in order, and waits for room while the peer is slow or away.
    @discardableResult
    public func send(_ messages: [Message]) async -> [Message] {
        validate(messages)
        var rest = messages[...]
        while true {
            rest = rest.dropFirst(shared.sendQueue.post(rest))
            guard !rest.isEmpty, await shared.sendQueue.waitForRoom() else { return returnUnsent(rest) }
        }
    }

    /// Returns how many bytes a router has for a client that the client has not read: for all connections of its key, and
    /// without encryption for the connection of one message, because all programs of a machine share an address.
    public func unread(by peer: PeerIdentity?, over connection: ConnectionID?) -> Int {
        precondition(kind == .router, "only a router knows its clients")
        if let key = peer?.name { return shared.unreadBytes?.bytes(ofKey: key) ?? 0 }
        return shared.unreadBytes?.bytes(of: connection ?? .none) ?? 0
    }

    /// The bytes that a router has for all clients that they have not read.
    public var unreadByteTotal: Int { shared.unreadBytes?.total ?? 0 }

    private func validate(_ messages: [Message]) {
        guard let minimum = kind.minimumFrames else { preconditionFailure("a subscriber cannot send") }
        precondition(
            messages.allSatisfy { $0.frames.count >= minimum },
            "a message of a \(kind.rawValue) has at least \(minimum) frames")
    }

    private func returnUnsent(_ messages: ArraySlice<Message>) -> [Message] {
        guard !messages.isEmpty else { return [] }
        shared.counters.withLock { $0.returned += messages.count }
        return Array(messages)
    }

    // MARK: - Receiving

    /// The received messages, in batches of up to a thousand.
    ///
    /// At most `SocketOptions.receiveQueueBytes` wait here; further messages are rejected and counted. A router still
    /// delivers their beginnings (`Message.truncation`) in order, so that the program can reply to them. Equal beginnings of
    /// one peer take no further room; different ones may take the same number of bytes again.
    ///
    /// Iterate it once; several iterations share the messages. The sequence ends when the socket is closed and its messages
    /// are taken, or when the iterating task is cancelled. A publisher's delivers nothing: see `waitForSubscription(after:)`.
    public var incoming: some AsyncSequence<[Message], Never> & Sendable {
        Batches(socket: self)
    }

    private struct Batches: AsyncSequence, AsyncIteratorProtocol, Sendable {
        // Keeps the socket open while a task iterates.
        let socket: Socket

        func makeAsyncIterator() -> Batches { self }

        func next(isolation actor: isolated (any Actor)?) async -> [Message]? {
            await socket.shared.receiveQueue.next()
        }
    }

    // MARK: - Subscriptions

    /// Waits until a publisher has received more than `count` subscriptions since it was opened; messages sent then reach
    /// them.
    ///
    /// - Returns: The number of subscriptions received, including those that have ended; nil if the socket was closed or the
    ///   task cancelled first.
    @discardableResult
    public func waitForSubscription(after count: Int = 0) async -> Int? {
        precondition(kind == .publisher, "only a publisher has subscribers")
        guard await shared.subscriptions.wait(until: { $0.received > count || $0.isClosed }) else { return nil }
        return shared.subscriptions.read { $0.received > count ? $0.received : nil }
    }

    // MARK: - Closing

    /// Stops receiving, sends the queued messages for at most the linger, and closes the socket.
    public func close() async {
        await withCheckedContinuation { continuation in
            thread.wakeupQueue.post { [id = shared.id] in $0.close(id) { continuation.resume() } }
        }
    }
}

/// What a socket's users and the I/O thread share; any thread may use all of it.
struct SharedSocketState: Sendable {
    let id: Int
    let kind: SocketKind
    let options: SocketOptions
    let receiveQueue: ReceiveQueue
    let sendQueue: SendQueue
    /// How many subscriptions a publisher has received, and whether it is closed.
    let subscriptions = AsyncCondition((received: 0, isClosed: false))
    /// The bytes that a router's clients have not read; nil for other sockets.
    let unreadBytes: UnreadBytes?
    let counters = Locked(SocketCounters())

    init(_ id: Int, _ kind: SocketKind, _ options: SocketOptions, scheduleSend: @escaping @Sendable () -> Void) {
        self.id = id
        self.kind = kind
        self.options = options
        receiveQueue = ReceiveQueue(limit: options.receiveQueueBytes)
        unreadBytes = kind == .router ? UnreadBytes() : nil
        sendQueue = SendQueue(
            limit: options.sendQueueLimit, unreadBytes: unreadBytes, scheduleSend: scheduleSend)
    }

    /// Rejects further messages and ends all waiting; queued messages stay.
    func close() {
        receiveQueue.finish()
        sendQueue.close()
        subscriptions.update { $0.isClosed = true }
    }
}

/// What a socket does; the project uses each kind in one way.
public enum SocketKind: String, Sendable, Hashable, CaseIterable {
    /// XPUB: sends each message to all peers that have subscribed to a prefix of its first frame, and receives the
    /// subscriptions.
    case publisher
    /// SUB: receives the messages whose first frame begins with a subscribed prefix.
    case subscriber
    /// ROUTER: receives from many peers, each message preceded by its peer's routing id, and sends to such an id.
    case router
    /// DEALER: sends to and receives from a router, without the lockstep of REQ.
    case dealer

    var type: Int32 {
        switch self {
        case .publisher: ZMQ_XPUB
        case .subscriber: ZMQ_SUB
        case .router: ZMQ_ROUTER
        case .dealer: ZMQ_DEALER
        }
    }

    /// The least number of frames of a message to send; nil if the socket cannot send.
    var minimumFrames: Int? {
        switch self {
        case .publisher, .dealer: 1
        case .router: 2
        case .subscriber: nil
        }
    }
}

/// The counters of a socket, for metrics.
///
/// They count every message that this program loses. They do not count what ZeroMQ loses after a message was `sent`,
/// because libzmq does not report it: for a subscriber at the high-water mark, with a connection that breaks, and at the
/// end of the linger. A program that must not miss a message reads it from a log, or asks again.
public struct SocketCounters: Sendable, Hashable {
    /// Whole messages delivered to `incoming`.
    public internal(set) var received = 0
    /// Messages given to libzmq.
    public internal(set) var sent = 0
    /// Received messages rejected: too many frames, a full queue, or, at a publisher, a malformed subscription.
    public internal(set) var refused = 0
    /// Messages returned to the caller because the send queue was full, the socket closed or the task cancelled.
    public internal(set) var returned = 0
    /// Messages lost because a router's peer did not read, or because the linger ended while they were queued.
    public internal(set) var dropped = 0
    /// Messages of a router to a peer that is not connected.
    public internal(set) var unroutable = 0
    /// The clients that are connected to a bound socket now.
    public internal(set) var connections = 0
    /// The connections to a bound socket that have ended.
    public internal(set) var disconnections = 0

    /// Makes counters of zero.
    public init() {}

    /// Adds the counts of one step, or of another socket.
    package static func += (counters: inout SocketCounters, step: SocketCounters) {
        counters.received += step.received
        counters.sent += step.sent
        counters.refused += step.refused
        counters.returned += step.returned
        counters.dropped += step.dropped
        counters.unroutable += step.unroutable
        counters.connections += step.connections
        counters.disconnections += step.disconnections
    }
}

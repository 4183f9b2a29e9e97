internal import Concurrency

/// A ZeroMQ socket that any task or thread can use.
///
/// The libzmq socket stays on its `IOThread`; this type holds the two bounded queues in between. The socket closes when
/// nothing refers to it any more, or with `close()`.
public final class Socket: Sendable {
    /// What the socket does.
    public let kind: SocketKind
    /// The addresses it is bound to, with the real port instead of `*`, then the addresses it connects to.
    public let addresses: [String]
    private let thread: IOThread
    private let id: Int
    let shared: SharedSocketState

    init(_ kind: SocketKind, on thread: IOThread, _ opened: Poller.OpenedSocket) {
        self.kind = kind
        self.thread = thread
        addresses = opened.addresses
        id = opened.id
        shared = opened.shared
    }

    deinit {
        let id = id
        thread.wakeupQueue.post { $0.close(id) {} }
    }

    /// The counters of the socket's messages and connections.
    public var counters: SocketCounters {
        shared.counters.withLock { $0 }
    }

    // MARK: - Sending

    /// Queues messages in order without waiting.
    ///
    /// Use it for a publisher and a router, whose queue never waits for a peer: a message that a slow peer has no room for,
    /// and a message to a peer that is gone, is dropped and counted in `counters`.
    ///
    /// - Returns: The messages that found no room in the queue; they are counted as `returned`.
    @discardableResult
    public func post(_ messages: [Message]) -> [Message] {
        validate(messages)
        return returnUnsent(messages[shared.sendQueue.post(messages[...])...])
    }

    /// Queues messages in order, and waits for room while the peer is slow or away.
    ///
    /// The messages of one call keep their order; those of two concurrent calls may alternate.
    ///
    /// - Returns: The messages that were not queued because the socket was closed or the task cancelled; normally none.
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
    ///
    /// Counts the messages queued here and in libzmq, but not those in the kernels. Counts only messages that name their
    /// connection.
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
        let id = id
        await withCheckedContinuation { continuation in
            thread.wakeupQueue.post { $0.close(id) { continuation.resume() } }
        }
    }
}

/// The state that a socket's users and the I/O thread share; any thread may use all of it.
struct SharedSocketState: Sendable {
    let receiveQueue: ReceiveQueue
    let sendQueue: SendQueue
    /// How many subscriptions a publisher has received, and whether it is closed.
    let subscriptions = AsyncCondition((received: 0, isClosed: false))
    /// The bytes that a router's clients have not read; nil for other sockets.
    let unreadBytes: ConnectionGuard.UnreadBytes?
    let counters: Locked<SocketCounters>

    /// Rejects further messages and ends all waiting; queued messages stay.
    func close() {
        receiveQueue.finish()
        sendQueue.close()
        subscriptions.update { $0.isClosed = true }
    }
}

internal import Concurrency

/// A ZeroMQ socket, to be used from any task or thread.
///
/// The socket itself stays on its `IOThread`; this is the two queues in between, both bounded. It closes when nothing
/// refers to it any more, or by `close()`.
public final class Socket: Sendable {
    /// What the socket does.
    public let kind: SocketKind
    /// Where it is bound, with the real port instead of `*`, then where it is connected to.
    public let addresses: [String]
    private let thread: IOThread
    private let id: Int
    let exchange: SharedSocketState

    init(_ kind: SocketKind, on thread: IOThread, _ opening: Poller.OpenedSocket) {
        self.kind = kind
        self.thread = thread
        addresses = opening.addresses
        id = opening.id
        exchange = opening.exchange
    }

    deinit {
        let id = id
        thread.wakeupQueue.post { $0.close(id) {} }
    }

    /// What the socket has done so far.
    public var counters: SocketCounters {
        exchange.counters.withLock { $0 }
    }

    /// Queues messages in order without waiting, and gives back those that found no room.
    ///
    /// For a publisher and a router, whose queue never waits for a peer: what a slow peer has no room for is dropped for
    /// that peer, and a message to a peer that is gone is dropped; see `counters`. What is given back is counted, too.
    @discardableResult
    public func post(_ messages: [Message]) -> [Message] {
        check(messages)
        return giveBack(messages[exchange.outbox.post(messages[...])...])
    }

    /// Queues messages in order, waiting for room as long as the peer is slow or away.
    ///
    /// Gives back those that were not queued because the socket was closed or the task cancelled; normally none. Messages of
    /// one call keep their order; two calls at once may alternate.
    @discardableResult
    public func send(_ messages: [Message]) async -> [Message] {
        check(messages)
        var rest = messages[...]
        while true {
            rest = rest.dropFirst(exchange.outbox.post(rest))
            guard !rest.isEmpty, await exchange.outbox.waitForRoom() else { return giveBack(rest) }
        }
    }

    /// How many bytes a router has sent a client, by its routing id, that the client has not read: those queued here and in
    /// libzmq, not those in the kernels.
    public func unread(by client: [UInt8]) -> Int {
        precondition(kind == .router, "Only a router knows its clients apart")
        return exchange.unread?.bytes(of: client) ?? 0
    }

    /// Also receives messages whose first frame begins with `prefix`; the peers learn it a little later.
    public func subscribe(to prefix: String) async throws(ZeroMQError) {
        precondition(kind == .subscriber, "Only a subscriber subscribes")
        let id = id
        try await thread.perform { (poller) throws(ZeroMQError) in try poller.subscribe(id, to: prefix) }
    }

    /// Waits until a publisher has at least `count` subscriptions that match `topic`: what is sent then reaches them.
    ///
    /// False if the socket was closed or the task cancelled first. The first 10,000 prefixes are known.
    @discardableResult
    public func waitForSubscribers(to topic: String, count: Int = 1) async -> Bool {
        precondition(kind == .publisher, "Only a publisher has subscribers")
        return await exchange.subscribers.wait(for: count, to: topic)
    }

    /// Waits until a publisher has had more than `count` subscriptions, whoever has left since, and returns how many.
    ///
    /// Nil if the socket was closed or the task cancelled first.
    public func waitForSubscription(after count: Int) async -> Int? {
        precondition(kind == .publisher, "Only a publisher has subscribers")
        return await exchange.subscribers.wait(forMoreThan: count)
    }

    /// Stops receiving, sends what is queued for at most the linger, and closes the socket.
    public func close() async {
        let id = id
        await withCheckedContinuation { continuation in
            thread.wakeupQueue.post { $0.close(id) { continuation.resume() } }
        }
    }

    /// What libzmq says the value of a setting is; nothing if it does not tell this one.
    func value(of setting: SocketSetting) async throws(ZeroMQError) -> Int64? {
        let id = id
        return try await thread.perform { (poller) throws(ZeroMQError) in poller.value(of: setting, id) }
    }

    private func check(_ messages: [Message]) {
        guard let fewest = kind.fewestFramesToSend else { preconditionFailure("A subscriber does not send") }
        precondition(
            messages.allSatisfy { $0.frames.count >= fewest }, "A \(kind.rawValue) sends at least \(fewest) frames")
    }

    private func giveBack(_ messages: ArraySlice<Message>) -> [Message] {
        guard !messages.isEmpty else { return [] }
        exchange.counters.withLock { $0.returned += messages.count }
        return Array(messages)
    }
}

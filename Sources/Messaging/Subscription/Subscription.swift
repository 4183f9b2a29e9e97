import Concurrency
public import Contract
public import ServiceRuntime
public import ZeroMQ

/// Reads a process's events completely, once each and in order, even if ZeroMQ drops some.
///
/// Sequences, the `previous` of each event, and heartbeats reveal lost events, which are then read from the process's log
/// with `replay`. Events arrive in the order of their stream if the whole stream is subscribed, and otherwise in the
/// order of their topic. While the consumer is busy, the subscription reads nothing: ZeroMQ's queues fill, events are
/// dropped, and the subscription catches up page by page. At most two pages and one batch are in memory.
///
/// The subscription continues by itself when the process stops, restarts, or begins a new log.
public struct Subscription: Sendable {
    /// An item that the consumer receives.
    public enum Item: Hashable, Sendable {
        /// The next event.
        case event(Event)
        /// The process has a new log, which is read from its beginning; sequences of the former log do not apply to it.
        case newLog(LogCursor)
        /// Everything is delivered that was published before the last heartbeat. Arrives once in each log.
        case live(LogCursor)
    }

    /// Items that are delivered together: a page of the log, or everything that has arrived on the socket.
    public struct Batch: Hashable, Sendable {
        /// The items in order; never empty.
        public let items: [Item]
        /// The position after the last item. Store it in the transaction that stores the results of all items.
        public let position: LogCursor

        /// Makes a batch; nil if there are no items.
        package init?(_ items: [Item], upTo position: LogCursor?) {
            guard let position, !items.isEmpty else { return nil }
            self.items = items
            self.position = position
        }
    }

    /// An occurrence for logs and metrics.
    public enum Diagnostic: Sendable {
        /// Events of a stream were lost and have been read from the log.
        case repaired(Stream, count: Int)
        /// The log could not be read; the next attempt follows after a pause.
        case retrying(after: Duration, because: any Error)
        /// Nothing has arrived for five seconds; the subscription goes on at the next address.
        case goingOn(at: String)
    }

    private struct State {
        var reading: Task<ReplayPage, any Error>?
        var isClosed = false
    }

    private let socket: FailoverSubscriber
    private let log: ReplayClient
    private let filter: TopicFilter
    private let start: LogCursor?
    private let report: @Sendable (Diagnostic) -> Void
    private let state = Locked(State())

    /// Connects to a process, which need not run yet. Begins after the stored position `start`, or at the beginning of the log.
    /// Several addresses are those of processes that publish one log. `report` must return quickly.
    public init(
        _ io: IOThread, events: [String], commands: [String], prefixes: [String], from start: LogCursor?,
        options: SocketOptions = SocketOptions(), clock: any Clock<Duration> = ContinuousClock(),
        onDiagnostic report: @escaping @Sendable (Diagnostic) -> Void = { _ in }
    ) async throws(ZeroMQError) {
        // Heartbeats last: the first one shows that the other subscriptions are active.
        let subscriptions = prefixes + [Heartbeat.topicPrefix]
        socket = try await FailoverSubscriber(
            io, addresses: events, subscriptions: subscriptions, options: options, clock: clock)
        log = ReplayClient(io, addresses: commands, clock: clock, report: report)
        filter = TopicFilter(prefixes: prefixes)
        self.start = start
        self.report = report
    }

    /// Passes all available items to `body` in one batch, with the position after them, until `body` returns a value; nil if
    /// the subscription is closed or the task cancelled first. Call it only once.
    public func readBatches<Value>(_ body: (Batch) async throws -> Value?) async throws -> Value? {
        async let _: Void = socket.failOver { report(.goingOn(at: $0)) }
        var machine = SubscriptionStateMachine(filter: filter, position: start)
        while let messages = await socket.next() {
            var items: [Item] = []
            for message in messages {
                var output = SubscriptionStateMachine.Output()
                if let heartbeat = Heartbeat(frames: message.frames) {
                    output = machine.handle(heartbeat)
                } else if let event = Event(message) {
                    output = machine.handle(event)
                }
                while true {
                    items += output.items
                    guard let stream = output.fetches.first else { break }
                    // The page is read while the consumer handles the items that are available.
                    let reading = read(stream, for: machine)
                    defer { reading.cancel() }
                    if let batch = Batch(items, upTo: machine.position), let value = try await body(batch) {
                        return value
                    }
                    items = []
                    // Reading a page fails only by cancellation.
                    let page = await withTaskCancellationHandler {
                        try? await reading.value
                    } onCancel: {
                        reading.cancel()
                    }
                    guard let page else { return nil }
                    let rest = output.fetches.dropFirst()
                    output = machine.handle(page, of: stream)
                    let repaired = output.items.count { if case .event = $0 { true } else { false } }
                    if repaired > 0 { report(.repaired(stream, count: repaired)) }
                    output.fetches += rest
                }
            }
            if let batch = Batch(items, upTo: machine.position), let value = try await body(batch) { return value }
        }
        return nil
    }

    /// The counters of the subscriber socket.
    public var counters: SocketCounters { socket.counters }

    /// Ends the subscription: `readBatches` returns after the consumer has handled its current item.
    public func close() async {
        let reading = state.withLock { state in
            state.isClosed = true
            return state.reading
        }
        reading?.cancel()
        await socket.close()
        await log.close()
    }

    private func read(_ stream: Stream, for machine: SubscriptionStateMachine) -> Task<ReplayPage, any Error> {
        let (after, prefix) = (machine.sequence(in: stream), filter.commonPrefix(in: stream))
        let task = Task { [log] in try await log.page(of: stream, after: after, prefix: prefix) }
        let isClosed = state.withLock { state in
            state.reading = task
            return state.isClosed
        }
        if isClosed { task.cancel() }
        return task
    }
}

extension Subscription.Diagnostic {
    /// Writes a line to the log.
    public func log(to logger: Logger) {
        switch self {
        case .repaired(let stream, let count):
            logger.info(
                "events were missed on the socket and have been read from the log",
                [.stream: stream.rawValue, .count: count])
        case .retrying(let pause, let error):
            logger.warning(
                "cannot read missed events from the log; trying again", [.after: pause, .error: "\(error)"])
        case .goingOn(let address):
            logger.warning("nothing arrives, not even a heartbeat; going on at the next host", [.address: address])
        }
    }
}

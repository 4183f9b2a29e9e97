import Concurrency
public import Contract
public import ZeroMQ

/// Reads a process's events without losing, repeating or reordering any, whatever ZeroMQ drops on the way.
///
/// It listens like any subscriber, sees by sequences, by the events before those of a topic, and by heartbeats that
/// something is missing, and reads it from the process's log by `replay`. Events come in the order of their stream
/// where all of it is wanted, and in the order of their topic otherwise. While its consumer is busy it reads nothing:
/// ZeroMQ's queues fill, then it drops, and the subscription catches up page by page, the next one while one is
/// consumed: at most two pages and one batch are in memory.
///
/// It goes on by itself when the process is away, restarts, or begins a new log. It does not store its position, which
/// is the consumer's to keep beside what the events led to.
public struct Subscription: Sendable {
    /// Where to begin.
    public enum Start: Hashable, Sendable {
        /// With what is published from now on.
        case newest
        /// With the first event of the log.
        case beginning
        /// With what follows a position that was kept.
        case after(LogCursor)
    }

    /// What the consumer gets.
    public enum Delivery: Hashable, Sendable {
        /// The next event.
        case event(Event)
        /// The process has another log than before: what was had of the old one says nothing about it, and it is
        /// read from its beginning.
        case newLog(LogCursor)
        /// All is delivered that had been published when the last heartbeat was sent; told once in each log.
        case live(LogCursor)
    }

    /// What is delivered together: a page of the log, or what has come over the socket meanwhile.
    public struct Batch: Hashable, Sendable {
        /// At least one delivery, in order.
        public let deliveries: [Delivery]
        /// The position after the last of them. Keep it in the transaction that keeps what all of them led to.
        public let position: LogCursor

        /// Makes a batch; nil if nothing is to be delivered.
        fileprivate init?(_ deliveries: [Delivery], upTo position: LogCursor?) {
            guard let position, !deliveries.isEmpty else { return nil }
            self.deliveries = deliveries
            self.position = position
        }
    }

    /// What happens beside deliveries, for logs and metrics.
    public enum Note: Sendable {
        /// So many events were not received and have been read from the log.
        case repaired(Stream, count: Int)
        /// The log could not be read and will be asked again after a pause.
        case waiting(Duration, because: any Error)
    }

    private enum State {
        case idle
        case fetching(Task<ReplayPage, any Error>)
        case closed
    }

    private let socket: Socket
    private let log: ReplayClient
    private let interest: TopicFilter
    private let start: Start
    private let note: @Sendable (Note) -> Void
    private let state = Locked(State.idle)

    /// Connects to the process that publishes at `events` and answers at `commands`, for the topics that begin with one
    /// of the prefixes; that it is not there yet does not matter.
    ///
    /// `options` are those of the socket that listens; `note` must be quick.
    public init(
        _ io: IOThread, events: String, commands: String, prefixes: [String], from start: Start,
        options: SocketOptions = SocketOptions(), clock: any Clock<Duration> = ContinuousClock(),
        note: @escaping @Sendable (Note) -> Void = { _ in }
    ) async throws(ZeroMQError) {
        // Heartbeats last: whoever hears one knows that the other subscriptions are in force.
        let subscriptions = prefixes + [Heartbeat.topicPrefix]
        socket = try await io.open(
            .subscriber, connect: [events], subscriptions: subscriptions, options: options)
        log = ReplayClient(io, address: commands, clock: clock, note: note)
        interest = TopicFilter(prefixes: prefixes)
        self.start = start
        self.note = note
    }

    /// Hands each delivery to `body` until `body` returns a value; nil if the subscription is closed or the task
    /// cancelled first. Call it once.
    public func read<Value>(_ body: (Delivery) async throws -> Value?) async throws -> Value? {
        try await readBatches { batch in
            for delivery in batch.deliveries {
                if let value = try await body(delivery) { return value }
            }
            return nil
        }
    }

    /// Hands all deliveries that are at hand to `body` at once, with the position after them, until `body` returns a value;
    /// nil if the subscription is closed or the task cancelled first. Call it once.
    ///
    /// For a consumer who writes down what follows from many in one go, or keeps its position.
    public func readBatches<Value>(_ body: (Batch) async throws -> Value?) async throws -> Value? {
        var machine = SubscriptionStateMachine(interest: interest, start: start)
        for await messages in socket.incoming {
            var deliveries: [Delivery] = []
            for message in messages {
                var output = machine.take(message)
                while true {
                    deliveries += output.deliveries
                    guard let stream = output.fetches.first else { break }
                    // A page takes its time: what is at hand does not wait for it, nor it for what is at hand.
                    let reading = read(stream, for: machine)
                    defer { reading.cancel() }
                    if let batch = Batch(deliveries, upTo: machine.position), let value = try await body(batch) {
                        return value
                    }
                    deliveries = []
                    guard let page = await page(reading) else { return nil }
                    let rest = output.fetches.dropFirst()
                    output = machine.take(page, of: stream)
                    tell(output, of: stream)
                    output.fetches += rest
                }
            }
            if let batch = Batch(deliveries, upTo: machine.position), let value = try await body(batch) { return value }
        }
        return nil
    }

    /// What came over the publisher's socket.
    public var counters: SocketCounters { socket.counters }

    /// Ends it: `read` returns once the consumer has returned from the delivery in hand.
    public func close() async {
        let state = state.withLock { state in
            defer { state = .closed }
            return state
        }
        if case .fetching(let task) = state { task.cancel() }
        await socket.close()
        await log.close()
    }

    /// Begins to read the next page of a stream.
    private func read(_ stream: Stream, for machine: SubscriptionStateMachine) -> Task<ReplayPage, any Error> {
        let (after, prefix) = (machine.place(in: stream), interest.commonPrefix(in: stream))
        let task = Task { [log] in try await log.page(of: stream, after: after, prefix: prefix) }
        let isClosed = state.withLock { state in
            if case .closed = state { return true }
            state = .fetching(task)
            return false
        }
        if isClosed { task.cancel() }
        return task
    }

    /// A page that is being read, however long it takes; nil if that has become pointless.
    private func page(_ task: Task<ReplayPage, any Error>) async -> ReplayPage? {
        // It fails only by being cancelled, as the subscription or the caller's task ends.
        await withTaskCancellationHandler {
            try? await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func tell(_ output: SubscriptionStateMachine.Output, of stream: Stream) {
        let count = output.deliveries.count { if case .event = $0 { true } else { false } }
        if count > 0 { note(.repaired(stream, count: count)) }
    }
}

extension SubscriptionStateMachine {
    /// Takes a message of the publisher; what is neither a heartbeat nor an event that we know leads to nothing.
    fileprivate mutating func take(_ message: Message) -> Output {
        if let heartbeat = Heartbeat(frames: message.frames) { return take(heartbeat) }
        if let event = Event(message) { return take(event) }
        return Output()
    }
}

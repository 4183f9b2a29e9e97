import Concurrency
public import Contract
import ServiceRuntime
public import ZeroMQ

/// A subscriber socket that goes on at the next host when nothing arrives for five seconds, not even a heartbeat.
/// All hosts publish the same stream. What is published during a change is lost. Where there is one host, libzmq reconnects.
final class FailoverSubscriber: Sendable {
    private struct State {
        var socket: Socket
        /// The counters of the sockets before it.
        var earlier = SocketCounters()
        var isClosed = false
    }

    private let io: IOThread
    private let addresses: [String]
    private let subscriptions: [String]
    private let options: SocketOptions
    private let clock: any Clock<Duration>
    private let state: Locked<State>

    init(
        _ io: IOThread, addresses: [String], subscriptions: [String], options: SocketOptions = SocketOptions(),
        clock: any Clock<Duration>
    ) async throws(ZeroMQError) {
        self.io = io
        self.addresses = addresses
        self.subscriptions = subscriptions
        self.options = options
        self.clock = clock
        let first = try await io.open(
            .subscriber, connect: Array(addresses.prefix(1)), subscriptions: subscriptions, options: options)
        state = Locked(State(socket: first))
    }

    var counters: SocketCounters {
        state.withLock { state in
            var counters = state.earlier
            counters += state.socket.counters
            return counters
        }
    }

    /// Waits for messages; nil once the subscriber is closed or the task cancelled.
    func next() async -> [Message]? {
        while true {
            let socket = state.withLock { $0.socket }
            if let messages = await socket.incoming.first(where: { _ in true }) { return messages }
            // Its messages are taken, and those of the next host follow.
            if state.withLock({ $0.socket === socket }) { return nil }
        }
    }

    /// Changes the host whenever nothing arrives; returns when the task is cancelled, or at once if there is one host.
    /// `report` receives the address of the next host.
    func failOver(_ report: (String) -> Void = { _ in }) async {
        guard addresses.count > 1 else { return }
        var current = 0
        // What arrives and not what is read: a busy reader is no reason to change.
        var arrived = 0
        var silence = Stopwatch(clock)
        while (try? await clock.sleep(for: .seconds(1))) != nil {
            let counters = counters
            if counters.received + counters.refused != arrived {
                arrived = counters.received + counters.refused
                silence = Stopwatch(clock)
            }
            guard silence.elapsed >= HeartbeatReader.timeout else { continue }
            current = (current + 1) % addresses.count
            // What cannot be opened now is tried again at the next host.
            guard
                let next = try? await io.open(
                    .subscriber, connect: [addresses[current]], subscriptions: subscriptions, options: options)
            else { continue }
            let previous = state.withLock { state -> Socket? in
                guard !state.isClosed else { return nil }
                defer { state.socket = next }
                state.earlier += state.socket.counters
                return state.socket
            }
            guard let previous else { return }
            report(addresses[current])
            await previous.close()
            silence = Stopwatch(clock)
        }
    }

    func close() async {
        let socket = state.withLock { state in
            state.isClosed = true
            return state.socket
        }
        await socket.close()
    }
}

// MARK: - Readers

/// Reads a publisher's events as they arrive. What a full queue or a broken connection drops is lost, unlike in `Subscription`.
public struct EventReader: Sendable {
    private let socket: FailoverSubscriber

    /// Connects to the publisher at the first address for the topics that begin with one of the prefixes, and goes on at the
    /// next one when nothing arrives.
    public init(_ io: IOThread, addresses: [String], prefixes: [String]) async throws(ZeroMQError) {
        // Heartbeats last: the first one shows that the other subscriptions are active.
        let subscriptions = prefixes + [Heartbeat.topicPrefix]
        socket = try await FailoverSubscriber(
            io, addresses: addresses, subscriptions: subscriptions, clock: ContinuousClock())
    }

    /// Passes each batch of events to `body` until it returns a value; nil if the connection is closed first. Unreadable
    /// messages are skipped. `isLive` is true once the subscription is known to be active.
    public func read<Value>(
        onHeartbeat: (Message) -> Void = { _ in }, _ body: (_ events: [Event], _ isLive: Bool) async throws -> Value?
    ) async throws -> Value? {
        async let _: Void = socket.failOver()
        var isLive = false
        while let batch = await socket.next() {
            var events: [Event] = []
            for message in batch {
                if message.frames.first?.starts(with: Heartbeat.topicPrefix.utf8) == true {
                    isLive = true
                    onHeartbeat(message)
                } else if let event = Event(message) {
                    events.append(event)
                }
            }
            if let value = try await body(events, isLive) { return value }
        }
        return nil
    }

    /// Closes the connection.
    public func close() async { await socket.close() }
}

extension Event {
    /// Reads a message of two frames; nil if it is not an event that this version can read.
    init?(_ message: Message) {
        // A newer version may publish events that this one cannot read.
        guard message.frames.count == 2, let text = String(validating: message.frames[0], as: UTF8.self),
            let topic = Topic(text), let event = try? Event(topic: topic, body: message.frames[1])
        else { return nil }
        self = event
    }
}

/// Watches a process's heartbeats, on a socket of their own, so that a backlog of events does not look like a lost connection.
public struct HeartbeatReader: Sendable {
    /// The time without a heartbeat after which a process counts as lost; it sends one every second.
    public static let timeout = Duration.seconds(5)

    private let process: String
    private let socket: FailoverSubscriber
    private let clock: any Clock<Duration>
    private let last = Locked<Stopwatch?>(nil)

    /// Connects to the publisher of a process, `worker` or `notifier`, at the first address, and goes on at the next one when
    /// nothing arrives.
    public init(
        _ io: IOThread, of process: String, addresses: [String], clock: any Clock<Duration>
    ) async throws(ZeroMQError) {
        self.process = process
        self.clock = clock
        socket = try await FailoverSubscriber(
            io, addresses: addresses, subscriptions: [Heartbeat.topicPrefix + process], clock: clock)
    }

    /// Reads heartbeats until the reader is closed; calls `onConnect` at the first one, and at the first one after a lost
    /// connection.
    public func run(_ onConnect: () -> Void = {}) async {
        async let _: Void = socket.failOver()
        while await socket.next() != nil {
            let wasAlive = isAlive
            last.withLock { $0 = Stopwatch(clock) }
            if !wasAlive { onConnect() }
        }
    }

    /// Whether a heartbeat arrived within `timeout`.
    public var isAlive: Bool { problem == nil }

    /// The problem in one line, such as `worker: no heartbeat for 7 s`; nil if the process is alive.
    public var problem: String? {
        guard let silence = last.withLock({ $0 })?.elapsed else { return "\(process): no heartbeat received yet" }
        return silence < Self.timeout ? nil : "\(process): no heartbeat for \(silence.components.seconds) s"
    }

    /// The counters of the reader's socket.
    public var counters: SocketCounters { socket.counters }

    /// Closes the connection; `run` returns.
    public func close() async { await socket.close() }
}

import Concurrency
import Contract
import ServiceRuntime
public import ZeroMQ

/// Watches a process's heartbeats to detect a lost connection.
///
/// Heartbeats have a socket of their own, so that a backlog of events does not look like a lost connection.
public struct HeartbeatReader: Sendable {
    /// The time without a heartbeat after which a process counts as lost; it sends one every second.
    public static let timeout = Duration.seconds(5)

    private let process: String
    private let socket: FailoverSubscriber
    private let clock: any Clock<Duration>
    private let last = Locked<Stopwatch?>(nil)

    /// Connects to a process's publisher at the first address, and goes on at the next one when nothing arrives.
    ///
    /// - Parameters:
    ///   - process: The process's name in heartbeats: `worker` or `notifier`.
    ///   - addresses: The addresses of the publisher, or of several that publish the same.
    public init(
        _ io: IOThread, of process: String, addresses: [String], clock: any Clock<Duration>
    ) async throws(ZeroMQError) {
        self.process = process
        self.clock = clock
        socket = try await FailoverSubscriber(
            io, addresses: addresses, subscriptions: [Heartbeat.topicPrefix + process], clock: clock)
    }

    /// Reads heartbeats until the reader is closed.
    ///
    /// - Parameter onConnect: Called at the first heartbeat, and at the first one after a lost connection.
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
    public func close() async {
        await socket.close()
    }
}

import Concurrency
import Contract
import Operations
public import ZeroMQ

/// Listens to a process's heartbeats, so that a lost connection is noticed.
///
/// On a socket of its own: who is busy with many events must not take itself for one that is cut off.
public struct HeartbeatReader: Sendable {
    /// How long a heart that beats every second may be silent.
    public static let patience = Duration.seconds(5)

    private let process: String
    private let socket: Socket
    private let clock: any Clock<Duration>
    private let last = Locked<Stopwatch?>(nil)

    /// Connects to the publisher at `address` of a process, `worker` or `notifier`.
    public init(
        _ io: IOThread, of process: String, address: String, clock: any Clock<Duration>
    ) async throws(ZeroMQError) {
        self.process = process
        self.clock = clock
        socket = try await io.open(
            .subscriber, connect: [address], subscriptions: [Heartbeat.topicPrefix + process])
    }

    /// Listens until it is closed; `found` is told when the process is heard that was not.
    public func listen(_ found: () -> Void = {}) async {
        for await _ in socket.incoming {
            let wasHeard = isHeard
            last.withLock { $0 = Stopwatch(clock) }
            if !wasHeard { found() }
        }
    }

    /// Whether the process was heard of lately.
    public var isHeard: Bool { complaint == nil }

    /// What is wrong if it was not: `worker: not heard of for 7 s`.
    public var complaint: String? {
        guard let silence = last.withLock({ $0 })?.elapsed else { return "\(process): never heard of" }
        return silence < Self.patience ? nil : "\(process): not heard of for \(silence.components.seconds) s"
    }

    /// What its socket has done so far.
    public var counters: SocketCounters { socket.counters }

    /// Ends the listening.
    public func close() async {
        await socket.close()
    }
}

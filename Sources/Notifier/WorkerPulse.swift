import Events
import Health
import Locking
import Operations
import ZeroMQ

/// Listens to the worker's heartbeats, so that a lost connection is noticed.
///
/// On a socket of its own: a notifier that is busy with many events must not take itself for one that is cut off.
struct WorkerPulse: Service {
    /// How long a heart that beats every second may be silent.
    static let patience = Duration.seconds(5)

    private let socket: Socket
    private let clock: any Clock<Duration>
    private let last = Locked<Stopwatch?>(nil)

    /// Connects to the worker's events at `address`.
    init(_ io: IOThread, address: String, clock: any Clock<Duration>) async throws {
        socket = try await io.open(
            .subscriber, connect: [address], subscriptions: [Heartbeat.topicPrefix + "worker"])
        self.clock = clock
    }

    func run() async throws {
        for await _ in socket.incoming { last.withLock { $0 = Stopwatch(clock) } }
    }

    func stop() async {
        await socket.close()
    }

    /// What its socket has done so far.
    var counters: SocketCounters { socket.counters }

    /// The check that the worker can be heard.
    var check: HealthCheck {
        HealthCheck("worker") {
            guard let silence = last.withLock({ $0 })?.elapsed else { return "worker: never heard of" }
            return silence < Self.patience ? nil : "worker: not heard of for \(silence.components.seconds) s"
        }
    }
}

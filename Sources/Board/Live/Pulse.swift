import Events
import Health
import Locking
import Operations
import ZeroMQ

/// Listens to the heartbeats of worker and notifier, so that the page can say which of them cannot be heard.
struct Pulse: Service {
    /// How long a heart that beats every second may be silent.
    static let patience = Duration.seconds(5)

    private let sockets: [(source: ReadModel.Source, socket: Socket)]
    private let hub: Hub
    private let clock: any Clock<Duration>
    private let last = Locked<[ReadModel.Source: Stopwatch]>([:])

    /// Connects to the events of both processes.
    init(
        _ io: IOThread, worker: String, notifier: String, hub: Hub, clock: any Clock<Duration>
    ) async throws {
        var sockets: [(source: ReadModel.Source, socket: Socket)] = []
        for (source, address) in [(ReadModel.Source.worker, worker), (.notifier, notifier)] {
            let subscriptions = [Heartbeat.topicPrefix + source.rawValue]
            sockets.append(
                (source, try await io.open(.subscriber, connect: [address], subscriptions: subscriptions)))
        }
        self.sockets = sockets
        self.hub = hub
        self.clock = clock
        tell()
    }

    func run() async throws {
        await withTaskGroup { tasks in
            for (source, socket) in sockets {
                tasks.addTask {
                    for await _ in socket.incoming {
                        let isNews = last.withLock { $0.updateValue(Stopwatch(clock), forKey: source) } == nil
                        if isNews { tell() }
                    }
                }
            }
            tasks.addTask {
                var beats = 0
                // Fails only by cancellation, when the sockets have closed.
                while (try? await clock.sleep(for: .seconds(1))) != nil {
                    tell()
                    beats += 1
                    if beats.isMultiple(of: 15) { hub.beat() }
                }
            }
            for _ in sockets { await tasks.next() }
            tasks.cancelAll()
        }
    }

    func stop() async {
        for (_, socket) in sockets { await socket.close() }
    }

    /// Whether a process was heard of lately.
    func isHeard(_ source: ReadModel.Source) -> Bool {
        last.withLock { $0[source] }.map { $0.elapsed < Self.patience } ?? false
    }

    /// The check that the worker can be heard, without which nothing is new.
    var check: HealthCheck {
        HealthCheck("worker") { isHeard(.worker) ? nil : "worker: not heard of for some seconds" }
    }

    private func tell() {
        let words = ReadModel.Source.allCases.map { "\"\($0.rawValue)\":\(isHeard($0))" }
        hub.tell(link: Array("{\(words.joined(separator: ","))}".utf8))
    }
}

import Health
import Messaging
import Operations
import ZeroMQ

/// Listens to the heartbeats of worker and notifier, so that the page can say which of them cannot be heard.
struct HeartbeatMonitor: Service {
    private let readers: [ReadModel.Source: HeartbeatReader]
    private let hub: EventStreamHub
    private let clock: any Clock<Duration>

    /// Connects to the events of both processes.
    init(
        _ io: IOThread, worker: String, notifier: String, hub: EventStreamHub, clock: any Clock<Duration>
    ) async throws {
        var readers: [ReadModel.Source: HeartbeatReader] = [:]
        for (source, address) in [(ReadModel.Source.worker, worker), (.notifier, notifier)] {
            readers[source] = try await HeartbeatReader(io, of: source.rawValue, address: address, clock: clock)
        }
        self.readers = readers
        self.hub = hub
        self.clock = clock
        tell()
    }

    func run() async throws {
        await withTaskGroup { tasks in
            for reader in readers.values {
                tasks.addTask { await reader.run { tell() } }
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
            for _ in readers { await tasks.next() }
            tasks.cancelAll()
        }
    }

    func stop() async {
        for reader in readers.values { await reader.close() }
    }

    /// Whether a process was heard of lately.
    func isHeard(_ source: ReadModel.Source) -> Bool { readers[source]?.isAlive ?? false }

    /// The check that the worker can be heard, without which nothing is new.
    var check: HealthCheck {
        HealthCheck("worker") { readers[.worker]?.problem }
    }

    private func tell() {
        let words = ReadModel.Source.allCases.map { "\"\($0.rawValue)\":\(isHeard($0))" }
        hub.tell(link: Array("{\(words.joined(separator: ","))}".utf8))
    }
}

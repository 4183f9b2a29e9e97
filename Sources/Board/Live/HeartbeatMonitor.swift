import Health
import Messaging
import ServiceRuntime
import ZeroMQ

/// Receives the heartbeats of worker and notifier, and sends browsers a `link` event when they stop or come back.
struct HeartbeatMonitor: Service {
    private let readers: [ReadModel.Source: HeartbeatReader]
    private let streams: EventStreamHub
    private let clock: any Clock<Duration>

    /// Connects to the addresses at which worker and notifier publish.
    init(
        _ io: IOThread, worker: [String], notifier: [String], streams: EventStreamHub, clock: any Clock<Duration>
    ) async throws {
        var readers: [ReadModel.Source: HeartbeatReader] = [:]
        for (source, addresses) in [(ReadModel.Source.worker, worker), (.notifier, notifier)] {
            readers[source] = try await HeartbeatReader(io, of: source.rawValue, addresses: addresses, clock: clock)
        }
        self.readers = readers
        self.streams = streams
        self.clock = clock
        publishLinks()
    }

    func run() async throws {
        await withTaskGroup { tasks in
            for reader in readers.values {
                tasks.addTask { await reader.run { publishLinks() } }
            }
            tasks.addTask {
                var seconds = 0
                // The sleep fails only if it is cancelled, after the sockets have closed.
                while (try? await clock.sleep(for: .seconds(1))) != nil {
                    publishLinks()
                    seconds += 1
                    if seconds.isMultiple(of: 15) { streams.sendKeepAlive() }
                }
            }
            for _ in readers { await tasks.next() }
            tasks.cancelAll()
        }
    }

    func stop() async {
        for reader in readers.values { await reader.close() }
    }

    /// Fails while no heartbeats of the worker arrive: without them the board shows nothing new.
    var healthCheck: HealthCheck {
        HealthCheck("worker") { readers[.worker]?.problem }
    }

    private func publishLinks() {
        let members = ReadModel.Source.allCases.map { "\"\($0.rawValue)\":\(readers[$0]?.isAlive ?? false)" }
        streams.publish(link: Array("{\(members.joined(separator: ","))}".utf8))
    }
}

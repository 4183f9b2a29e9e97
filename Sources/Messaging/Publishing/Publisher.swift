import Concurrency
public import Contract
public import EventStore
public import FoundationEssentials
public import ServiceRuntime
public import ZeroMQ

/// Sends logged events to subscribers, byte for byte as in the log, and heartbeats with the position of each stream.
///
/// Publishing never blocks. A slow subscriber loses events, and detects the loss by sequences and heartbeats.
public final class Publisher: Sendable {
    private let socket: Socket
    private let source: String
    private let epoch: String
    private struct State {
        /// The sequence of each stream's newest event: the last one sent, or the log's newest at the start.
        var positions: [Stream: SequenceNumber]
        var eventCounts: [Stream: Int]
        var heartbeatCount = 0
    }

    private let state: Locked<State>

    /// Makes a publisher of an XPUB socket; `positions` are the log's at the start.
    public init(_ socket: Socket, of log: EventLog, positions: [Stream: SequenceNumber]) {
        self.socket = socket
        source = log.source
        epoch = log.epoch
        // A stream of the log starts at zero, so that its first event shows as an increase.
        state = Locked(State(positions: positions, eventCounts: positions.mapValues { _ in 0 }))
    }

    /// Sends events in order. Events that were sent before may be sent again.
    public func publish(_ events: [LoggedEvent]) {
        // Under the lock, so that no heartbeat names the position of an event before the event is sent.
        state.withLock { state in
            for event in events {
                state.positions[event.stream] = max(state.positions[event.stream] ?? .zero, event.sequence)
                state.eventCounts[event.stream, default: 0] += 1
            }
            _ = socket.post(events.map { Message($0.frames) })
        }
    }

    func sendHeartbeat(at now: Date) {
        state.withLock { state in
            let heartbeat = Heartbeat(epoch: epoch, positions: state.positions)
            _ = socket.post([Message(heartbeat.frames(from: source, at: now))])
            state.heartbeatCount += 1
        }
    }

    /// Sends a heartbeat every second, and at once after each new subscription, until the socket closes.
    ///
    /// A subscriber that receives a heartbeat knows that its earlier subscriptions are active.
    public func run(now: @escaping @Sendable () -> Date, clock: any Clock<Duration>) async {
        await withTaskGroup { tasks in
            tasks.addTask {
                // Sleeping fails only when the task is cancelled because the socket has closed.
                while (try? await clock.sleep(for: .seconds(1))) != nil { self.sendHeartbeat(at: now()) }
            }
            var count = 0
            while let more = await socket.waitForSubscription(after: count) {
                count = more
                sendHeartbeat(at: now())
            }
            tasks.cancelAll()
        }
    }
}

extension Publisher {
    /// Registers the metrics of published events, log positions and heartbeats.
    public func report(to metrics: Metrics) {
        metrics.counters(
            "marquee_events_published_total", "Events published, including repeated ones.", by: "stream"
        ) {
            Self.byName(self.state.withLock(\.eventCounts).mapValues { Double($0) })
        }
        metrics.gauges("marquee_log_position", "The sequence of a stream's newest event.", by: "stream") {
            Self.byName(self.state.withLock(\.positions).mapValues { Double($0.value) })
        }
        metrics.counter("marquee_heartbeats_total", "Heartbeats published.") {
            Double(self.state.withLock(\.heartbeatCount))
        }
    }

    private static func byName(_ values: [Stream: Double]) -> [String: Double] {
        Dictionary(uniqueKeysWithValues: values.map { ($0.rawValue, $1) })
    }
}

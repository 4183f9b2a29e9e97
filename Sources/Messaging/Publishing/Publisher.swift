import Concurrency
public import Contract
public import EventStore
public import FoundationEssentials
public import ServiceRuntime
public import ZeroMQ

/// Sends logged events to subscribers, byte for byte as in the log, and heartbeats with the position of each stream.
///
/// Publishing never blocks. A slow subscriber loses events, and detects the loss by sequences and heartbeats.
///
/// A socket's subscriptions take effect in order: a client that subscribes to heartbeats last misses nothing after the
/// first one.
public final class Publisher: Sendable {
    private let socket: Socket
    private let source: String
    private let epoch: String
    /// The totals since the start.
    struct State {
        var streams: [Stream: StreamState]
        var heartbeats = 0
    }

    struct StreamState {
        /// The sequence of the newest event: the last one sent, or the log's newest at the start.
        var position = SequenceNumber.zero
        var events = 0
    }

    private let state: Locked<State>

    /// Makes a publisher of an XPUB socket; `positions` are the log's at the start.
    public init(_ socket: Socket, of log: EventLog, positions: [Stream: SequenceNumber]) {
        self.socket = socket
        source = log.source
        epoch = log.epoch
        state = Locked(State(streams: positions.mapValues { StreamState(position: $0) }))
    }

    /// Sends events in order. Events that were sent before may be sent again.
    public func publish(_ events: [LoggedEvent]) {
        // Under the lock, so that no heartbeat names the position of an event before the event is sent.
        state.withLock { state in
            for event in events {
                var stream = state.streams[event.stream] ?? StreamState()
                stream.position = max(stream.position, event.sequence)
                stream.events += 1
                state.streams[event.stream] = stream
            }
            _ = socket.post(events.map { Message($0.frames) })
        }
    }

    func sendHeartbeat(at now: Date) {
        state.withLock { state in
            let positions = state.streams.mapValues(\.position)
            _ = socket.post([Message(Heartbeat(epoch: epoch, positions: positions).frames(from: source, at: now))])
            state.heartbeats += 1
        }
    }

    var sent: State { state.withLock { $0 } }

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
            // A stream of the log starts at zero, so that its first event shows as an increase.
            Self.byName(self.sent.streams.mapValues { Double($0.events) })
        }
        metrics.gauges("marquee_log_position", "The sequence of a stream's newest event.", by: "stream") {
            Self.byName(self.sent.streams.mapValues { Double($0.position.value) })
        }
        metrics.counter("marquee_heartbeats_total", "Heartbeats published.") { Double(self.sent.heartbeats) }
    }

    private static func byName(_ values: [Stream: Double]) -> [String: Double] {
        Dictionary(uniqueKeysWithValues: values.map { ($0.rawValue, $1) })
    }
}

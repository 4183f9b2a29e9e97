import Concurrency
public import Contract
public import EventStore
public import FoundationEssentials
public import ZeroMQ

/// Sends logged events to whoever subscribed, as they stand in the log, and heartbeats that tell how far it has come.
///
/// It never waits: a subscriber that does not keep up misses events, and sees by sequences and heartbeats that it did.
///
/// See docs/decisions/0005-detecting-an-active-subscription.md.
public final class Publisher: Sendable {
    private let socket: Socket
    private let source: String
    private let epoch: String
    /// What was sent so far.
    struct State {
        var streams: [Stream: StreamState]
        var heartbeats = 0
    }

    /// What was sent of a stream.
    struct StreamState {
        /// The place of the newest event, or of the newest in the log at the start.
        var position = SequenceNumber.zero
        var events = 0

        fileprivate mutating func note(_ event: LoggedEvent) {
            position = max(position, event.sequence)
            events += 1
        }
    }

    private let state: Locked<State>

    /// Makes a publisher of the given XPUB socket; `positions` are the log's at the start.
    public init(_ socket: Socket, of log: EventLog, positions: [Stream: SequenceNumber]) {
        self.socket = socket
        source = log.source
        epoch = log.epoch
        state = Locked(State(streams: positions.mapValues { StreamState(position: $0) }))
    }

    /// Sends events in order; some may have been sent before.
    public func publish(_ events: [LoggedEvent]) {
        // Under the lock, so that no heartbeat tells of an event before that event has been sent.
        state.withLock { state in
            for event in events {
                state.streams[event.stream, default: StreamState()].note(event)
            }
            _ = socket.post(events.map { Message($0.frames) })
        }
    }

    /// Sends a heartbeat.
    public func beat(at now: Date) {
        state.withLock { state in
            let positions = state.streams.mapValues(\.position)
            _ = socket.post([Message(Heartbeat(epoch: epoch, positions: positions).frames(from: source, at: now))])
            state.heartbeats += 1
        }
    }

    /// What was sent up to now.
    var sent: State { state.withLock { $0 } }

    /// Sends a heartbeat every second, and at once to whoever subscribes to heartbeats, until the socket closes.
    ///
    /// A subscriber that has a heartbeat knows that what it subscribed to before is in force.
    public func run(now: @escaping @Sendable () -> Date, clock: any Clock<Duration>) async {
        await withTaskGroup { tasks in
            tasks.addTask {
                // Fails only by cancellation, when the socket has closed.
                while (try? await clock.sleep(for: .seconds(1))) != nil { self.beat(at: now()) }
            }
            var count = 0
            while let more = await socket.waitForSubscription(after: count) {
                count = more
                beat(at: now())
            }
            tasks.cancelAll()
        }
    }
}

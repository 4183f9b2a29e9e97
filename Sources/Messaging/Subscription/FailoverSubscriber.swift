import Concurrency
import ServiceRuntime
import ZeroMQ

/// A subscriber socket that goes on at the next host when nothing arrives for five seconds, not even a heartbeat.
///
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

    /// Connects to the first address.
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
    ///
    /// - Parameter report: Receives the address of the next host.
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

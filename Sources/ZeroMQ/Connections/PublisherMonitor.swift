internal import CLibc
internal import Concurrency
internal import Glibc

/// The connections of an encrypted publisher, watched on a thread of their own.
///
/// libzmq enters all that a client has sent into its tree of subscriptions before it delivers the first one, in one call,
/// which lasts for as long as more arrives. The I/O thread is in that call then, so only another thread can disconnect the
/// client. Each byte takes some 33 bytes in the tree.
///
/// See docs/decisions/libzmq-and-strangers.md.
final class PublisherMonitor: Sendable {
    /// How often the thread looks whether the I/O thread is behind, while the socket is used.
    private static let tick = Duration.milliseconds(3)
    /// How long after the socket was used the thread goes on looking.
    private static let attention = Duration.milliseconds(100)
    /// How long the I/O thread takes for more than a few subscriptions.
    private static let longWork = Duration.milliseconds(1)
    /// A measurement of all connections while the I/O thread is behind takes one part in this many of the thread's time.
    private static let measurementShare = 4
    /// Delay between the last forced disconnect and `malloc_trim`.
    private static let trimDelay = Duration.seconds(1)

    private struct State {
        let connections: ConnectionMonitor
        var endpoint: InprocEndpoint?
        /// Whether the socket was empty at some time since the last scan.
        var isDrained = true
        var trimTime: ContinuousClock.Instant?
        /// When the connections may be measured again.
        var nextMeasurement = ContinuousClock.now
    }

    /// What the I/O thread does.
    private struct Work: WakeupQueueContent {
        /// When it began to use the socket that it has not read until it was empty since; nil if it has.
        var beginning: ContinuousClock.Instant?
        var lastUse = ContinuousClock.now
        var isClosed = false

        /// Whether the monitor's thread may sleep for longer than a tick.
        var isEmpty: Bool { beginning == nil && !isClosed && .now - lastUse > PublisherMonitor.attention }
    }

    private let state: Locked<State>
    private let work: WakeupQueue<Work>
    private let descriptor: Int32

    /// Starts the thread, which is from then on the only user of both parameters.
    init(_ connections: ConnectionMonitor, events endpoint: InprocEndpoint) throws(SystemError) {
        descriptor = endpoint.descriptor
        work = try WakeupQueue(Work())
        // Sound because the caller gives both away; both are used under the lock only.
        nonisolated(unsafe) let state = State(connections: connections, endpoint: endpoint)
        self.state = Locked(state)
        try startThread { [self] in run() }
    }

    // MARK: - For the I/O thread

    func beginWork() {
        let now = ContinuousClock.now
        work.post { work in
            work.beginning = work.beginning ?? now
            work.lastUse = now
        }
    }

    func endWork() {
        work.post { $0.beginning = nil }
    }

    /// Counts the subscriptions that the socket has delivered, and disconnects the clients that have too many.
    func record(
        _ messages: [Message], over descriptors: [Int32], readSince begin: ContinuousClock.Instant, isDrained: Bool
    ) {
        guard isDrained || !messages.isEmpty else { return }
        state.withLock { state in
            // The connection of a message is known once its event is handled.
            if !messages.isEmpty { state.endpoint?.poll() }
            for (message, descriptor) in zip(messages, descriptors) {
                state.connections.recordSubscription(message, over: descriptor)
            }
            if isDrained {
                state.isDrained = true
                state.connections.recordEmptySocket(readSince: begin)
            }
        }
    }

    func disconnect(keys: Set<String>) {
        state.withLock { state in
            state.endpoint?.poll()
            state.connections.disconnect(keys: keys)
        }
        // Events that were handled here do not wake the thread.
        work.post { $0.lastUse = .now }
    }

    func close() {
        state.withLock { $0.endpoint = nil }
        work.post { $0.isClosed = true }
    }

    // MARK: - Thread

    private func run() {
        var descriptors = [work.descriptor, descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while !work.take({ $0.isClosed }) {
            let deadline = runOnce()
            var timeout = Int32(Self.tick.milliseconds)
            if work.prepareToSleep() {
                timeout = deadline.map { Int32(clamping: max(($0 - .now).milliseconds, 1)) } ?? -1
            }
            if poll(&descriptors, nfds_t(descriptors.count), timeout) < 0 {
                precondition(errno == EINTR, "poll: \(String(cString: strerror(errno)))")
                continue
            }
            if descriptors[0].revents != 0 { work.clearWakeup() }
        }
    }

    /// Handles the events, and scans the connections if a scan is due or the I/O thread is behind; returns when there is
    /// more to do, nil if there is nothing before the next event.
    private func runOnce() -> ContinuousClock.Instant? {
        let now = ContinuousClock.now
        let workBeginning = work.take { $0.beginning }
        let isBehind = workBeginning.map { now - $0 > Self.longWork } ?? false
        return state.withLock { state in
            guard let endpoint = state.endpoint else { return nil }
            endpoint.poll()
            let connections = state.connections
            if isBehind {
                if state.nextMeasurement <= now {
                    connections.dropUndelivered()
                    state.nextMeasurement = now + (ContinuousClock.now - now) * Self.measurementShare
                }
            } else if let nextScan = connections.nextScan, nextScan <= now,
                workBeginning == nil || state.isDrained || connections.hasReceivedBacklog
            {
                state.isDrained = false
                connections.scan(at: now)
            }
            if connections.hasDropped {
                connections.hasDropped = false
                state.trimTime = now + Self.trimDelay
            }
            if let trimTime = state.trimTime, trimTime <= now, !isBehind {
                // The tree is many small pieces, which the allocator would keep: 160 MB after the worst burst.
                malloc_trim(0)
                state.trimTime = nil
            }
            guard let nextScan = connections.nextScan else { return state.trimTime }
            return min(nextScan, state.trimTime ?? nextScan)
        }
    }
}

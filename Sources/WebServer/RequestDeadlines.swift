import Concurrency
import Glibc

/// Disconnects clients whose request does not arrive whole in time.
///
/// MHD's own timeout restarts with every byte. This one runs from the accept or the previous response. No task runs
/// while nothing waits; otherwise one task sleeps until the earliest deadline, at most for `span`, because no later
/// connection has an earlier deadline than that. If more than `limit` connections wait, those that have waited longest
/// are disconnected, so that idle clients do not keep others out.
final class RequestDeadlines: Sendable {
    private struct State {
        var waiting: [Int32: ContinuousClock.Instant] = [:]
        /// The waiting connections in the order in which they began to wait, and some that no longer wait.
        var order: [(descriptor: Int32, deadline: ContinuousClock.Instant)] = []
        var isWatched = false
        var late = 0
        var crowded = 0
    }

    private let span: Duration
    private let limit: Int
    private let state = Locked(State())

    init(span: Duration, limit: Int) {
        self.span = span
        self.limit = limit
    }

    /// Starts the deadline of the connection on `descriptor`, or extends it to `longer` from now.
    func start(_ descriptor: Int32, within longer: Duration? = nil) {
        let deadline = ContinuousClock.now + (longer ?? span)
        let isFirst = state.withLock { state in
            state.waiting[descriptor] = deadline
            state.order.append((descriptor, deadline))
            disconnectSurplus(&state)
            defer { state.isWatched = true }
            return !state.isWatched
        }
        if isFirst { watch(until: deadline) }
    }

    /// Ends the deadline: the request has arrived, or MHD is about to close the connection.
    ///
    /// MHD closes a descriptor only after this call, and disconnecting holds the same lock: a descriptor that is reused
    /// for another connection is never shut down.
    func end(_ descriptor: Int32) {
        state.withLock { $0.waiting[descriptor] = nil }
    }

    var disconnectCounts: (late: Int, crowded: Int) {
        state.withLock { ($0.late, $0.crowded) }
    }

    func disconnectAll() {
        state.withLock { _ = Self.disconnect(&$0) { _ in true } }
    }

    /// Disconnects those that have waited longest, a sixteenth of the limit at a time, because finding them scans all.
    private func disconnectSurplus(_ state: inout State) {
        guard state.waiting.count > limit || state.order.count > 4 * limit else { return }
        state.order.removeAll { state.waiting[$0.descriptor] != $0.deadline }
        guard state.waiting.count > limit else { return }
        let surplus = state.order.prefix(limit / 16 + 1)
        state.order.removeFirst(surplus.count)
        state.crowded += surplus.count
        for (descriptor, _) in surplus {
            state.waiting[descriptor] = nil
            shutDownSocket(descriptor)
        }
    }

    private func watch(until deadline: ContinuousClock.Instant) {
        let wake = min(deadline, .now + span)
        Task { [weak self] in
            // The task is never cancelled: nothing references it.
            try? await Task.sleep(until: wake, clock: .continuous)
            self?.disconnectOverdue()
        }
    }

    private func disconnectOverdue() {
        let now = ContinuousClock.now
        let next = state.withLock { state in
            state.late += Self.disconnect(&state) { $0 <= now }
            let next = state.waiting.values.min()
            state.isWatched = next != nil
            return next
        }
        if let next { watch(until: next) }
    }

    private static func disconnect(_ state: inout State, where isOverdue: (ContinuousClock.Instant) -> Bool) -> Int {
        let overdue = state.waiting.filter { isOverdue($0.value) }.keys
        for descriptor in overdue {
            state.waiting[descriptor] = nil
            shutDownSocket(descriptor)
        }
        return overdue.count
    }
}

/// Cuts a connection and drops what it has not sent (`SO_LINGER` of zero); MHD sees a disconnected client.
func resetSocket(_ descriptor: Int32) {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    shutDownSocket(descriptor)
}

/// Shuts a connection down in both directions (`shutdown(2)`); MHD sees a disconnected client.
func shutDownSocket(_ descriptor: Int32) {
    shutdown(descriptor, Int32(SHUT_RDWR))
}

import Concurrency
import Glibc

/// Cuts connections whose request does not arrive whole in time.
///
/// MHD's own timeout starts anew with every byte. This one runs from the accept, or from the answer before, and a
/// connection that misses it is cut. While nothing waits nothing runs; otherwise one task sleeps until the earliest
/// deadline, but not for longer than `span`: whoever comes meanwhile has no more. Of more than `limit` connections that
/// wait, the one that has waited longest is cut, so that idle ones never keep others out.
final class RequestDeadlines: Sendable {
    private struct State {
        var waiting: [Int32: ContinuousClock.Instant] = [:]
        /// Those that wait in the order in which they began to, and some that no longer do.
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

    /// The connection on `descriptor` has begun to wait for a request, or is given more time for one.
    func start(_ descriptor: Int32, within longer: Duration? = nil) {
        let deadline = ContinuousClock.now + (longer ?? span)
        let isFirst = state.withLock { state in
            state.waiting[descriptor] = deadline
            state.order.append((descriptor, deadline))
            cutSurplus(&state)
            defer { state.isWatched = true }
            return !state.isWatched
        }
        if isFirst { watch(until: deadline) }
    }

    /// The request has arrived, or the connection is about to be closed.
    ///
    /// MHD closes a descriptor only after it has told so, and both sides hold the lock: no descriptor is cut that has
    /// become another connection's.
    func end(_ descriptor: Int32) {
        state.withLock { $0.waiting[descriptor] = nil }
    }

    /// How many connections were cut: at their deadline, and to make room.
    var cuts: (late: Int, crowded: Int) {
        state.withLock { ($0.late, $0.crowded) }
    }

    /// Cuts every connection that waits for a request or is in the middle of one.
    func cutAll() {
        state.withLock { _ = Self.cut(&$0) { _ in true } }
    }

    /// Cuts those that have waited longest, a sixteenth of the limit at once: to look for them takes time.
    private func cutSurplus(_ state: inout State) {
        guard state.waiting.count > limit || state.order.count > 4 * limit else { return }
        state.order.removeAll { state.waiting[$0.descriptor] != $0.deadline }
        guard state.waiting.count > limit else { return }
        let surplus = state.order.prefix(limit / 16 + 1)
        state.order.removeFirst(surplus.count)
        state.crowded += surplus.count
        for (descriptor, _) in surplus {
            state.waiting[descriptor] = nil
            cutConnection(descriptor)
        }
    }

    private func watch(until deadline: ContinuousClock.Instant) {
        let wake = min(deadline, .now + span)
        Task { [weak self] in
            // Never cancelled: nobody holds the task.
            try? await Task.sleep(until: wake, clock: .continuous)
            self?.cutOverdue()
        }
    }

    private func cutOverdue() {
        let now = ContinuousClock.now
        let next = state.withLock { state in
            state.late += Self.cut(&state) { $0 <= now }
            let next = state.waiting.values.min()
            state.isWatched = next != nil
            return next
        }
        if let next { watch(until: next) }
    }

    /// Cuts those whose deadline is such, and returns how many.
    private static func cut(_ state: inout State, where isOverdue: (ContinuousClock.Instant) -> Bool) -> Int {
        let overdue = state.waiting.filter { isOverdue($0.value) }.keys
        for descriptor in overdue {
            state.waiting[descriptor] = nil
            cutConnection(descriptor)
        }
        return overdue.count
    }
}

/// Ends a connection in both directions (`shutdown(2)`), which MHD sees as the client's end.
func cutConnection(_ descriptor: Int32) {
    shutdown(descriptor, Int32(SHUT_RDWR))
}

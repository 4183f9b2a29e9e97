internal import CZMQ
internal import Glibc
internal import Locking

/// Work for the I/O thread, from any thread, done in the order in which it came.
///
/// The eventfd(2) is written to only while the thread sleeps in poll(2), so that a burst costs one system call.
final class Mailbox: Sendable {
    typealias Work = @Sendable (Poller) -> Void

    private struct State {
        var work: [Work] = []
        var isAsleep = false
    }

    /// Becomes readable when work comes for a sleeping thread.
    let descriptor: Int32
    private let state = Locked(State())

    init() throws(ZeroMQError) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        guard descriptor >= 0 else { throw ZeroMQError("open", "eventfd", code: errno) }
    }

    deinit {
        close(descriptor)
    }

    /// Adds work, and wakes the thread if it sleeps.
    func post(_ work: @escaping Work) {
        let mustWake = state.withLock { state in
            defer { state.isAsleep = false }
            state.work.append(work)
            return state.isAsleep
        }
        // Can only fail when the counter is full, and then the descriptor is readable anyway.
        if mustWake { eventfd_write(descriptor, 1) }
    }

    /// All work there is.
    func take() -> [Work] {
        state.withLock { state in
            defer { state.work = [] }
            state.isAsleep = false
            return state.work
        }
    }

    /// Whether there is anything to do.
    var hasWork: Bool { state.withLock { !$0.work.isEmpty } }

    /// Whether there is nothing to do, so that the thread may sleep; from then on work wakes it.
    func fallAsleep() -> Bool {
        state.withLock { state in
            state.isAsleep = state.work.isEmpty
            return state.isAsleep
        }
    }

    /// Makes the descriptor unreadable again.
    func clear() {
        var count: eventfd_t = 0
        eventfd_read(descriptor, &count)
    }
}

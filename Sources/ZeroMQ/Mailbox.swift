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
        /// The sockets that have begun to have something to send, by their ids.
        var senders: [Int] = []
        var isAsleep = false

        var isEmpty: Bool { work.isEmpty && senders.isEmpty }
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
        add { $0.work.append(work) }
    }

    /// Tells that a socket has begun to have something to send, and wakes the thread if it sleeps.
    func post(sender: Int) {
        add { $0.senders.append(sender) }
    }

    private func add(_ change: (inout State) -> Void) {
        let mustWake = state.withLock { state in
            defer { state.isAsleep = false }
            change(&state)
            return state.isAsleep
        }
        // Can only fail when the counter is full, and then the descriptor is readable anyway.
        if mustWake { eventfd_write(descriptor, 1) }
    }

    /// All work there is, and the sockets that have begun to have something to send.
    func take() -> (work: [Work], senders: [Int]) {
        state.withLock { state in
            defer { state = State() }
            return (state.work, state.senders)
        }
    }

    /// Whether there is nothing to do.
    var isEmpty: Bool { state.withLock(\.isEmpty) }

    /// Whether there is nothing to do, so that the thread may sleep; from then on work wakes it.
    func fallAsleep() -> Bool {
        state.withLock { state in
            state.isAsleep = state.isEmpty
            return state.isAsleep
        }
    }

    /// Makes the descriptor unreadable again.
    func clear() {
        var count: eventfd_t = 0
        eventfd_read(descriptor, &count)
    }
}

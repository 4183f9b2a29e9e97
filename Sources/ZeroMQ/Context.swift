internal import CZMQ

/// The libzmq context of one I/O thread, from zmq_ctx_new(3) to zmq_ctx_term(3).
///
/// `nonisolated(unsafe)` is sound because the pointer never changes and zmq_ctx_new(3) says: "A ØMQ context is thread safe
/// and may be shared among as many application threads as necessary, without any additional locking".
final class Context: Sendable {
    nonisolated(unsafe) let pointer: UnsafeMutableRawPointer

    init() throws(ZeroMQError) {
        guard let pointer = zmq_ctx_new() else { throw ZeroMQError("open", "context", code: zmq_errno()) }
        self.pointer = pointer
    }

    /// Blocks until every closed socket has sent what it had, or its linger is over; call it once.
    func end() {
        while zmq_ctx_term(pointer) < 0, zmq_errno() == EINTR {}
    }
}

internal import CZMQ
internal import Concurrency
internal import Glibc

/// The thread that owns a ZeroMQ context and all of its sockets.
///
/// A ZeroMQ socket belongs to one thread, while Swift's tasks move between threads. Every operation on a socket therefore
/// runs here: the thread sleeps in poll(2) over its sockets and one eventfd, and runs what arrives. It is also a
/// `TaskExecutor`: a task that prefers it replies without a hop to another thread, and must not block.
///
/// See docs/decisions/socket-event-loop.md.
public final class IOThread: TaskExecutor {
    let wakeupQueue: WakeupQueue<[Poller.Job]>
    let thread: pthread_t

    /// Starts the thread. It ends when nothing refers to it, its sockets and the tasks on it any more.
    ///
    /// The callbacks run on the thread and must be quick.
    public init(
        encryption: Encryption? = nil, onHandshakeFailure: @escaping @Sendable (HandshakeFailure) -> Void = { _ in },
        onDrop: @escaping @Sendable (DroppedConnection) -> Void = { _ in }
    ) throws(ZeroMQError) {
        let context = try Context()
        do {
            let wakeupQueue = try WakeupQueue([Poller.Job]())
            let poller = Poller(
                wakeupQueue: wakeupQueue, context: context, encryption: encryption,
                observer: ConnectionGuard.Observer(onFailure: onHandshakeFailure, onDrop: onDrop))
            self.wakeupQueue = wakeupQueue
            thread = try startThread { poller.run() }
        } catch {
            throw ZeroMQError("start", "I/O thread", code: error.code)
        }
    }

    deinit {
        wakeupQueue.post { $0.release() }
    }

    // MARK: - Sockets

    /// Opens a socket: sets its options and subscriptions, then binds (port `*` is a free one), then connects.
    ///
    /// Connecting succeeds at once; libzmq retries an unreachable peer until the socket is closed. If anything fails, no
    /// socket stays open. With `ipc`, libzmq silently takes over the path of another program that is bound to it.
    public func open(
        _ kind: SocketKind, bind: [String] = [], connect: [String] = [], subscriptions: [String] = [],
        options: SocketOptions = SocketOptions()
    ) async throws(ZeroMQError) -> Socket {
        precondition(subscriptions.isEmpty || kind == .subscriber, "only a subscriber can subscribe")
        precondition(
            options.receiveQueueBytes > 0 && options.sendQueueLimit > 0, "a queue with a limit of 0 blocks forever")
        let opened = await withCheckedContinuation { continuation in
            wakeupQueue.post { poller in
                continuation.resume(
                    returning: Result { () throws(ZeroMQError) in
                        try poller.open(
                            kind, bind: bind, connect: connect, subscriptions: subscriptions, options: options)
                    })
            }
        }
        let (shared, addresses) = try opened.get()
        return Socket(shared, addresses, on: self)
    }

    /// Closes every socket and ends the context.
    ///
    /// Queued messages are still sent within the linger, sequences of incoming messages end, and tasks that wait to send get
    /// their messages back. Returns at the latest 250 ms after the longest linger, whatever the peers do. Can be called more
    /// than once. Afterwards the thread still executes tasks but opens no sockets.
    public func shutdown() async {
        await withCheckedContinuation { continuation in
            wakeupQueue.post { $0.shutDown { continuation.resume() } }
        }
    }

    /// Disconnects the clients of all bound sockets whose key has one of these names, and those whose key is not known.
    public func disconnect(keys: Set<String>) {
        wakeupQueue.post { $0.disconnect(keys: keys) }
    }

    // MARK: - Task executor

    /// Runs a job of a task that prefers this thread, after all that was posted before it.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        wakeupQueue.post { _ in job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// The libzmq context of one I/O thread, from zmq_ctx_new(3) to zmq_ctx_term(3).
///
/// `nonisolated(unsafe)` is sound because the pointer never changes and zmq_ctx_new(3) says: "A ØMQ context is thread safe
/// and may be shared among as many application threads as necessary, without any additional locking".
final class Context: Sendable {
    nonisolated(unsafe) let pointer: UnsafeMutableRawPointer

    /// Seeds rand(3), once, with a number from getrandom(2).
    ///
    /// libzmq takes a router's first automatic routing id from rand(3) and never seeds it
    /// (https://github.com/zeromq/libzmq/issues/4633). It aborts when a client has claimed the id that it assigns next, so
    /// a client must not be able to know it. See docs/decisions/libzmq-and-strangers.md.
    private static let seeding: Void = srand(.random(in: .min ... .max))

    init() throws(ZeroMQError) {
        Self.seeding
        guard let pointer = zmq_ctx_new() else { throw ZeroMQError("open", "context", code: zmq_errno()) }
        self.pointer = pointer
    }

    /// Blocks until every closed socket has sent its messages or its linger is over. Must be called once.
    func end() {
        while zmq_ctx_term(pointer) < 0, zmq_errno() == EINTR {}
    }
}

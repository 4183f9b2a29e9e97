internal import CZMQ
internal import Concurrency
internal import Glibc

/// The one thread that owns a ZeroMQ context and all its sockets.
///
/// ZeroMQ's sockets belong to one thread while Swift's tasks move between many, so everything done with a socket is done
/// here: the thread sleeps in poll(2) over its sockets and one eventfd, and works off what comes. It is also a
/// `TaskExecutor`: a task that prefers it answers without a hop to another thread, and must not block.
///
/// It does not interpret messages or reconnect by itself (libzmq does).
///
/// See docs/decisions/0040-socket-event-loop.md.
public final class IOThread: TaskExecutor {
    let wakeupQueue: WakeupQueue<PollerCommands>
    private let thread: pthread_t

    /// Starts the thread; it ends when nothing refers to it, its sockets and the tasks on it any more.
    ///
    /// With `encryption` all its sockets are encrypted, and no other kind can be opened. `onHandshakeFailure` is called on
    /// the thread, for what comes to sockets that are bound and, with encryption, for connections of our own, and `onCut`
    /// for clients that are cut off because they would fill the memory; they must be quick.
    public init(
        encryption: Encryption? = nil, onHandshakeFailure: @escaping @Sendable (HandshakeFailure) -> Void = { _ in },
        onCut: @escaping @Sendable (DroppedConnection) -> Void = { _ in }
    ) throws(ZeroMQError) {
        let wakeupQueue: WakeupQueue<PollerCommands>
        do {
            wakeupQueue = try WakeupQueue(PollerCommands())
        } catch {
            throw ZeroMQError("open", "wakeup queue", code: error.code)
        }
        let poller = Poller(
            wakeupQueue: wakeupQueue, context: try Context(), encryption: encryption,
            news: ConnectionObserver(failed: onHandshakeFailure, cut: onCut))
        self.wakeupQueue = wakeupQueue
        do { thread = try startThread { poller.run() } } catch {
            throw ZeroMQError("start", "I/O thread", code: error.code)
        }
    }

    deinit {
        wakeupQueue.post { $0.abandon() }
    }

    /// Opens a socket: sets its options and subscriptions, then binds, then connects.
    ///
    /// Binding to port `*` takes any free one, which `Socket.addresses` tells. Connecting always succeeds at once: who is
    /// not there yet is tried again until closed. On an error nothing stays open. Beware of `ipc`: libzmq takes over the file
    /// of another program that is bound to the same path, without an error.
    public func open(
        _ kind: SocketKind, bind: [String] = [], connect: [String] = [], subscriptions: [String] = [],
        options: SocketOptions = SocketOptions()
    ) async throws(ZeroMQError) -> Socket {
        precondition(subscriptions.isEmpty || kind == .subscriber, "Only a subscriber subscribes")
        precondition(options.inboxBytes > 0 && options.outboxLimit > 0, "A limit of nothing would wait for ever")
        let opening = try await perform { (poller) throws(ZeroMQError) in
            try poller.open(kind, bind: bind, connect: connect, subscriptions: subscriptions, options: options)
        }
        return Socket(kind, on: self, opening)
    }

    /// Closes every socket and ends the context; returns when that is done, at the latest after the longest linger and a quarter
    /// of a second, whatever the peers do.
    ///
    /// What is queued is still sent within the linger, sequences of incoming messages end, whoever waits for room gets its
    /// messages back. May be called often; the thread goes on as an executor, but opens no sockets.
    public func shutdown() async {
        await withCheckedContinuation { continuation in
            wakeupQueue.post { $0.shutDown { continuation.resume() } }
        }
    }

    /// Runs `body` on the thread and returns what it returns.
    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (Poller) throws(ZeroMQError) -> Result
    ) async throws(ZeroMQError) -> Result {
        let result: Swift.Result<Result, ZeroMQError> = await withCheckedContinuation { continuation in
            wakeupQueue.post { poller in
                continuation.resume(returning: Swift.Result { () throws(ZeroMQError) in try body(poller) })
            }
        }
        return try result.get()
    }
}

extension IOThread {
    /// Runs a job of a task that prefers this thread, after all work that came before it.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        wakeupQueue.post { _ in job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Whether the caller is on this thread.
    var isCurrent: Bool {
        pthread_equal(pthread_self(), thread) != 0
    }
}

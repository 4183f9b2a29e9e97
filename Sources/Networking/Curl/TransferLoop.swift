import Glibc

/// The thread that owns the multi handle and every transfer.
///
/// One turn: read the mail, let libcurl work, hand out what has ended, begin what has a place, and wait for the next
/// event. Nothing in it blocks but that wait, nor may the tasks that prefer the thread.
final class TransferLoop {
    /// How much may be done for tasks before the connections are listened to.
    private static let turnsPerWait = 16

    private let inbox: TransferInbox
    private let multi: MultiHandle
    private let isPublic: @Sendable (IPAddress) -> Bool
    private var places: Places
    private let limits: HTTPClient.Limits
    private var waiting: [TransferOrder.ID: TransferOrder] = [:]
    private var running: [TransferOrder.ID: Transfer] = [:]
    /// When the first of the waiting may be out of time; never later than that.
    private var nextExpiry: ContinuousClock.Instant?
    private var turnsWithoutWait = 0

    private init(
        _ inbox: TransferInbox, _ multi: MultiHandle, limits: HTTPClient.Limits,
        isPublic: @escaping @Sendable (IPAddress) -> Bool
    ) {
        self.inbox = inbox
        self.multi = multi
        self.limits = limits
        self.isPublic = isPublic
        places = Places(limits)
    }

    /// Starts a thread and returns its inbox.
    static func start(limits: HTTPClient.Limits, isPublic: @escaping @Sendable (IPAddress) -> Bool) -> TransferInbox {
        let multi = MultiHandle(connections: limits.total)
        let inbox = TransferInbox(waking: multi)
        let loop = TransferLoop(inbox, multi, limits: limits, isPublic: isPublic)
        // All signals blocked, for the thread and the resolver threads that it starts: those that stop a process are
        // the main thread's, and a write to a closed TLS connection must not raise SIGPIPE.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        let status = pthread_create(&thread, nil, runTransferLoop, Unmanaged.passRetained(loop).toOpaque())
        precondition(status == 0, "pthread_create: \(status)")
        pthread_detach(thread)
        return inbox
    }

    /// Runs to the end on the thread that `context` was handed to, lets go of everything, and returns the inbox.
    fileprivate static func run(_ context: UnsafeMutableRawPointer) -> TransferInbox {
        let loop = Unmanaged<TransferLoop>.fromOpaque(context).takeRetainedValue()
        while loop.turn() {}
        return loop.inbox
    }

    /// Does what is to be done now and waits for more; false when it is over.
    private func turn() -> Bool {
        let mail = inbox.take()
        for job in mail.jobs { job.runSynchronously(on: inbox.asUnownedTaskExecutor()) }
        for order in mail.orders { enqueue(order) }
        for id in mail.cancelled { settle(id, .failure(.cancelled)) }
        if mail.isClosing {
            for id in Array(waiting.keys) + Array(running.keys) { settle(id, .failure(.cancelled)) }
            return false
        }
        multi.perform()
        while let (transfer, code) = multi.nextEnded() {
            settle(transfer.order.id, transfer.outcome(code))
        }
        expire()
        begin()
        let mayRest = inbox.fallAsleep()
        turnsWithoutWait += 1
        guard mayRest || turnsWithoutWait == Self.turnsPerWait else { return true }
        turnsWithoutWait = 0
        let rest = nextExpiry.map { ContinuousClock.now.duration(to: $0) } ?? .seconds(60)
        multi.wait(atMost: mayRest ? rest : .zero)
        return true
    }

    private func enqueue(_ order: TransferOrder) {
        if places.enter(order.id, host: order.errand.origin) {
            waiting[order.id] = order
            nextExpiry = min(nextExpiry ?? order.deadline, order.deadline)
            begin()
        } else {
            let reason = "\(limits.waiting) requests are waiting already"
            order.continuation.resume(returning: .failure(TransferFailure(kind: .unavailable, reason: reason)))
        }
    }

    /// Begins the transfers for which there is a place now.
    private func begin() {
        while let id = places.next() {
            if let order = waiting.removeValue(forKey: id) {
                running[id] = Transfer(order, on: multi, isPublic: isPublic)
            }
        }
    }

    /// Ends the orders that waited for a place until their time was over.
    private func expire() {
        guard let expiry = nextExpiry, expiry <= .now else { return }
        let now = ContinuousClock.now
        for order in waiting.values where order.deadline <= now {
            let reason =
                "no place became free: \(limits.perHost) requests at once go to one host, \(limits.total) in all"
            settle(order.id, .failure(TransferFailure(kind: .timeout, reason: reason)))
        }
        nextExpiry = waiting.values.lazy.map(\.deadline).min()
    }

    /// Ends an order, if it is one: the only place where a caller is answered and a transfer let go.
    private func settle(_ id: TransferOrder.ID, _ outcome: TransferOutcome) {
        guard let order = running.removeValue(forKey: id)?.order ?? waiting.removeValue(forKey: id) else { return }
        places.leave(id)
        order.continuation.resume(returning: outcome)
    }
}

private func runTransferLoop(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    TransferLoop.run(context).loopEnded()
    return nil
}

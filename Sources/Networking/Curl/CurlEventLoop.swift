import Concurrency

/// The thread that owns the multi handle and every transfer.
///
/// One turn: read the inbox, let libcurl work, hand out what has ended, begin what has a place. Nothing blocks but the
/// wait for the next event, nor may the tasks that prefer the thread.
final class CurlEventLoop {
    /// How much may be done for tasks before the connections are listened to.
    private static let turnsPerWait = 16

    private let inbox: TransferQueue
    private let multi: MultiHandle
    private let isPublic: @Sendable (IPAddress) -> Bool
    private var places: HostConnectionLimiter
    private let limits: HTTPClient.Limits
    private var waiting: [PendingTransfer.ID: PendingTransfer] = [:]
    private var running: [PendingTransfer.ID: Transfer] = [:]
    /// When the first of the waiting may be out of time; never later than that.
    private var nextExpiry: ContinuousClock.Instant?

    private init(
        _ inbox: TransferQueue, limits: HTTPClient.Limits, isPublic: @escaping @Sendable (IPAddress) -> Bool
    ) {
        self.inbox = inbox
        multi = MultiHandle(connections: limits.total, alarm: inbox.wakeupQueue.descriptor)
        self.limits = limits
        self.isPublic = isPublic
        places = HostConnectionLimiter(limits)
    }

    /// Starts a thread and returns its inbox.
    static func start(limits: HTTPClient.Limits, isPublic: @escaping @Sendable (IPAddress) -> Bool) -> TransferQueue {
        do {
            let inbox = try TransferQueue()
            try startThread {
                // Its connections are closed when it is gone, and only then has it ended.
                CurlEventLoop(inbox, limits: limits, isPublic: isPublic).run()
                inbox.loopEnded()
            }
            return inbox
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// Serves until the inbox closes.
    private func run() {
        while true {
            var mayRest = false
            for _ in 0..<Self.turnsPerWait where !mayRest {
                guard turn() else { return }
                mayRest = inbox.wakeupQueue.prepareToSleep()
            }
            wait(mayRest: mayRest)
        }
    }

    /// Does what there is to do; false when it is over.
    private func turn() -> Bool {
        let orders = inbox.take()
        for job in orders.jobs { job.runSynchronously(on: inbox.asUnownedTaskExecutor()) }
        for order in orders.new { enqueue(order) }
        for id in orders.cancelled { settle(id, .failure(.cancelled)) }
        if orders.isClosing {
            for id in Array(waiting.keys) + Array(running.keys) { settle(id, .failure(.cancelled)) }
            return false
        }
        multi.perform()
        while let (transfer, code) = multi.nextEnded() {
            settle(transfer.order.id, transfer.outcome(code))
        }
        expire()
        begin()
        return true
    }

    /// Looks at the connections, and sleeps if it may until there is something to do.
    private func wait(mayRest: Bool) {
        let rest = nextExpiry.map { ContinuousClock.now.duration(to: $0) } ?? .seconds(60)
        if multi.wait(atMost: mayRest ? rest : .zero) { inbox.wakeupQueue.clearWakeup() }
    }

    private func enqueue(_ order: PendingTransfer) {
        if places.enter(order.id, host: order.errand.origin) {
            waiting[order.id] = order
            nextExpiry = min(nextExpiry ?? order.deadline, order.deadline)
            begin()
        } else {
            let reason = "\(limits.waiting) requests are waiting already"
            order.continuation.resume(returning: .failure(TransferError(kind: .unavailable, reason: reason)))
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
            settle(order.id, .failure(TransferError(kind: .timeout, reason: reason)))
        }
        nextExpiry = waiting.values.lazy.map(\.deadline).min()
    }

    /// Ends an order, if it is one: the only place where a caller is answered and a transfer let go.
    private func settle(_ id: PendingTransfer.ID, _ outcome: TransferOutcome) {
        guard let order = running.removeValue(forKey: id)?.order ?? waiting.removeValue(forKey: id) else { return }
        places.leave(id)
        order.continuation.resume(returning: outcome)
    }
}

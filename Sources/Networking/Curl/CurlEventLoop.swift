import Concurrency

/// The event loop on the thread that owns the multi handle and every transfer.
///
/// Each iteration reads the queue, runs libcurl, completes finished transfers, and starts waiting ones. It blocks only
/// to wait for the next event.
final class CurlEventLoop {
    private let queue: TransferQueue
    private let multi: MultiHandle
    private let isPublic: @Sendable (IPAddress) -> Bool
    private var limiter: HostConnectionLimiter
    private let limits: HTTPClient.Limits
    private let bodyBudget: ResponseBodyBudget
    private var waiting: [PendingTransfer.ID: PendingTransfer] = [:]
    private var running: [PendingTransfer.ID: Transfer] = [:]
    /// A time no later than the earliest deadline of a waiting transfer; nil if none waits.
    private var nextExpiry: ContinuousClock.Instant?

    private init(
        _ queue: TransferQueue, limits: HTTPClient.Limits, isPublic: @escaping @Sendable (IPAddress) -> Bool
    ) {
        self.queue = queue
        multi = MultiHandle(connections: limits.total)
        self.limits = limits
        self.isPublic = isPublic
        limiter = HostConnectionLimiter(limits)
        bodyBudget = ResponseBodyBudget(limit: limits.bodyBytes)
    }

    /// Starts the loop's thread and returns its queue.
    static func start(limits: HTTPClient.Limits, isPublic: @escaping @Sendable (IPAddress) -> Bool) -> TransferQueue {
        do {
            let queue = TransferQueue()
            try startThread {
                // The loop's deinitializer closes the connections; only then has the loop ended.
                CurlEventLoop(queue, limits: limits, isPublic: isPublic).run()
                queue.loopEnded()
            }
            return queue
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// Runs until the queue closes.
    private func run() {
        queue.setWaker(multi.waker)
        defer { queue.setWaker(nil) }
        while runOnce() {
            multi.wait(atMost: nextExpiry.map { ContinuousClock.now.duration(to: $0) } ?? .seconds(60))
        }
    }

    /// Runs one iteration; false when the queue is closing.
    private func runOnce() -> Bool {
        let work = queue.take()
        for transfer in work.transfers { enqueue(transfer) }
        for id in work.cancelled { complete(id, .failure(.cancelled)) }
        if work.isClosing {
            for id in Array(waiting.keys) + Array(running.keys) { complete(id, .failure(.cancelled)) }
            return false
        }
        multi.perform()
        while let (running, code) = multi.nextEnded() {
            complete(running.pending.id, running.outcome(code))
        }
        failExpired()
        startWaiting()
        return true
    }

    private func enqueue(_ transfer: PendingTransfer) {
        if limiter.enqueue(transfer.id, host: transfer.request.origin) {
            waiting[transfer.id] = transfer
            nextExpiry = min(nextExpiry ?? transfer.deadline, transfer.deadline)
            startWaiting()
        } else {
            let reason = "\(limits.queueLength) requests are waiting already; the queue is full"
            transfer.continuation.resume(returning: .failure(TransferError(kind: .unavailable, reason: reason)))
        }
    }

    /// Starts the waiting transfers that the limits allow now.
    private func startWaiting() {
        while let id = limiter.startNext() {
            if let transfer = waiting.removeValue(forKey: id) {
                running[id] = Transfer(transfer, on: multi, budget: bodyBudget, isPublic: isPublic)
            }
        }
    }

    /// Fails the transfers that waited for a connection until their deadline.
    private func failExpired() {
        guard let expiry = nextExpiry, expiry <= .now else { return }
        let now = ContinuousClock.now
        for transfer in waiting.values where transfer.deadline <= now {
            let reason =
                "no connection became free before the deadline (limits: \(limits.perHost) per host, \(limits.total) in total)"
            complete(transfer.id, .failure(TransferError(kind: .timeout, reason: reason)))
        }
        nextExpiry = waiting.values.lazy.map(\.deadline).min()
    }

    /// Completes a transfer, if it is still known: the only function that resumes a caller and releases a transfer.
    private func complete(_ id: PendingTransfer.ID, _ outcome: TransferOutcome) {
        let started = running.removeValue(forKey: id)
        guard let transfer = started?.pending ?? waiting.removeValue(forKey: id) else { return }
        limiter.remove(id)
        let outcome = outcome.mapError { error in
            var error = error
            error.wasSent = started?.easy.hasSent == true
            return error
        }
        transfer.continuation.resume(returning: outcome)
    }
}

import Contract
import EventStore
import Operations

/// Acts on each commit of the worker's store: publishes the events, wakes the schedule and the backfill when a request
/// of theirs has ended, and puts new requests in the queue.
///
/// It is called on the database's writer queue, in the order of the commits, and does not block.
struct CommitHandler: Sendable {
    let publish: @Sendable ([LoggedEvent]) -> Void
    let queue: RequestQueue
    let metrics: WorkerMetrics
    let logger: Logger
    let scheduleSignal: RestartableWakeSignal
    let backfillSignal: RestartableWakeSignal
    var failPoints = FailPoints.none

    /// Handles the changes of one commit.
    func handle(_ changes: CommittedChanges) {
        let accepted = changes.answered + changes.waiting
        let isSettlement = accepted.isEmpty && !changes.ended.isEmpty
        if !accepted.isEmpty { failPoints.reach(.accepted) }
        if isSettlement { failPoints.reach(.committed) }
        if !changes.events.isEmpty { publish(changes.events) }
        for origin in changes.ended { signal(origin) }
        if isSettlement { failPoints.reach(.published) }
        if !accepted.isEmpty { metrics.countAccepted(accepted.map(\.id)) }
        for answered in changes.answered {
            metrics.countDone(answered.id, from: .log)
            logger.debug("request done", [.request: answered.id, .status: RequestDone.Source.log.rawValue])
        }
        for (id, error) in changes.setAside {
            metrics.countFailed(id, error)
            logger.error(
                "a request that the worker did not survive is set aside", [.request: id, .reason: error.message])
        }
        // Commits come in order, so a queue that is opened here has no request twice and lacks none.
        if let pending = changes.pending { queue.open(with: pending) }
        queue.add(changes.waiting)
    }

    private func signal(_ origin: RequestOrigin) {
        switch origin {
        case .client: break
        case .schedule: scheduleSignal.signal()
        case .backfill: backfillSignal.signal()
        }
    }
}

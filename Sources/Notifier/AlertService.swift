import BoxOffice
import Concurrency
import Contract
import Messaging
import OpenMarket
import Operations

/// Reads the charts as they are published, each once and in order, and decides the alerts.
///
/// What is at hand is decided on together and written in one transaction: a page of the log while it catches up, and
/// mostly a single chart later. While that is on its way to the disk, the next is decided on.
///
/// See docs/decisions/0042-deciding-while-writing.md.
struct AlertService: Service {
    let subscription: Subscription
    let store: NotifierStore
    /// What was known at the start.
    let memory: AlertState
    let logger: Logger
    let metrics: NotifierMetrics
    let clock: any Clock<Duration>
    var failPoints = FailPoints.none

    /// What follows from what was read, and has to outlive the process.
    private struct Outcome {
        let decisions: [Decision]
        let changes: AlertState.Changes
        /// Whether all that had been published is read.
        let isLive: Bool
        let newestDay: KoreanDate?
    }

    func run() async throws {
        var memory = memory
        try await withThrowingTaskGroup(of: Void.self) { writing in
            _ = try await subscription.readBatches { batch -> Never? in
                let outcome = decide(on: batch, &memory)
                try await writing.next()  // one after the other, and never more than one waits
                writing.addImmediateTask { await write(outcome) }
                return nil
            }
        }
    }

    func stop() async {
        await subscription.close()
    }

    /// Decides on what was read.
    private func decide(on batch: Subscription.Batch, _ memory: inout AlertState) -> Outcome {
        var decisions: [Decision] = []
        var isLive = false
        for delivery in batch.items {
            switch delivery {
            case .event(let event):
                decisions += decide(event, &memory)
            case .live(let position):
                memory.catchUp(at: position)
                isLive = true
            case .newLog(let position):
                memory.beginLog()
                logger.warning("the worker has another log: its charts are read anew", [.epoch: position.epoch])
            }
        }
        memory.position = batch.position
        return Outcome(
            decisions: decisions, changes: memory.takeChanges(), isLive: isLive, newestDay: memory.decider.newestDay)
    }

    /// Puts an outcome on disk, however long that refuses it, and then tells of it.
    private func write(_ outcome: Outcome) async {
        guard !Task.isCancelled else { return }  // the process ends
        await RetryLoop(clock: clock).run {
            tell(try await store.record(outcome.decisions, then: outcome.changes))
            if outcome.isLive { logger.info("all charts are read", [.date: outcome.newestDay]) }
        } onFailure: { error in
            logger.error("a decision cannot be written; it will be tried again", [.error: "\(error)"])
        }
    }

    private func tell(_ decisions: [Decision]) {
        for decision in decisions { metrics.decide(decision.alert.rule) }
        logger.info(
            "alert",
            each: decisions.map { decision in
                [
                    .topic: decision.event.topic, .sequence: decision.event.sequence, .alert: decision.id,
                    .text: decision.alert.text.ko,
                ]
            })
    }

    private func decide(_ event: Event, _ memory: inout AlertState) -> [Decision] {
        do throws(DecodingError) {
            switch event.topic {
            case .ranking(let day, let market) where memory.decider.books[market] != nil:
                metrics.read()
                failPoints.reach(.read)
                let decisions = try memory.takeChart(of: day, market, from: event)
                failPoints.reach(.decided)
                return decisions
            case .anomaly:
                metrics.read()
                return memory.take(try event.data(as: Anomaly.self), from: event)
            case .products:
                metrics.read()
                return memory.take(try event.data(as: ProductPage.self).products, from: event)
            case .product:
                metrics.read()
                return memory.take([try event.data(as: Product.self)], from: event)
            case .productRemoved:
                metrics.read()
                return memory.take(try event.data(as: RemovedProduct.self), from: event)
            default:
                return []  // other charts fire nothing, and are read past
            }
        } catch {
            logger.error("an event cannot be read", [.topic: event.topic, .error: "\(error)"])
            return []
        }
    }
}

import BoxOffice
import Concurrency
import Contract
import Messaging
import OpenMarket
import Operations

/// Reads the worker's events, each once and in order, and decides the alerts.
///
/// All events at hand are decided together and written in one transaction: a page of the log while the notifier catches
/// up, mostly a single chart later. The next batch is decided while the last one is written.
///
/// See docs/decisions/0042-deciding-while-writing.md.
struct AlertService: Service {
    let subscription: Subscription
    let store: NotifierStore
    /// The state at the start.
    let alertState: AlertState
    let logger: Logger
    let metrics: NotifierMetrics
    let clock: any Clock<Duration>
    var failPoints = FailPoints.none

    /// The most alerts of one transaction.
    private static let decisionsPerWrite = 1_000

    /// What has to be written after a batch.
    private struct BatchResult {
        let decisions: [Decision]
        let changes: AlertState.Changes
        /// The posters in the batch, by their version in the board's URLs; nil for a movie without one.
        let posters: [MovieCode: String?]
        /// Whether all events published so far have been read.
        let isLive: Bool
        let newestDay: KoreanDate?
    }

    func run() async throws {
        var alertState = alertState
        try await withThrowingTaskGroup(of: Void.self) { writing in
            _ = try await subscription.readBatches { batch -> Never? in
                let result = decide(on: batch, &alertState)
                try await writing.next()  // writes run one after the other, and at most one waits
                writing.addImmediateTask { await write(result) }
                return nil
            }
        }
    }

    func stop() async {
        await subscription.close()
    }

    private func decide(on batch: Subscription.Batch, _ alertState: inout AlertState) -> BatchResult {
        var decisions: [Decision] = []
        var posters: [MovieCode: String?] = [:]
        var isLive = false
        for delivery in batch.items {
            switch delivery {
            case .event(let event):
                if case .poster(let code) = event.topic {
                    posters.updateValue(poster(in: event), forKey: code)
                    continue
                }
                decisions += decide(on: event, &alertState)
            case .live(let position):
                decisions += alertState.closeBaseline(at: position)
                isLive = true
            case .newLog(let position):
                alertState.startNewLog()
                logger.warning(
                    "the worker has a new log; the notifier reads it from its beginning", [.epoch: position.epoch])
            }
        }
        alertState.position = batch.position
        return BatchResult(
            decisions: decisions, changes: alertState.drainChanges(), posters: posters, isLive: isLive,
            newestDay: alertState.decider.newestDay)
    }

    /// Returns the decisions on an event; logs an event that cannot be read and skips it.
    private func decide(on event: Event, _ alertState: inout AlertState) -> [Decision] {
        do throws(DecodingError) {
            switch event.topic {
            case .ranking(let day, let market) where alertState.decider.marketStates[market] != nil:
                metrics.countRead()
                failPoints.reach(.read)
                let decisions = try alertState.applyChart(of: day, market, from: event)
                failPoints.reach(.decided)
                return decisions
            case .anomaly:
                metrics.countRead()
                return alertState.apply(try event.data(as: Anomaly.self), from: event)
            case .products:
                metrics.countRead()
                return alertState.apply(try event.data(as: ProductPage.self).products, from: event)
            case .product:
                metrics.countRead()
                return alertState.apply([try event.data(as: Product.self)], from: event)
            case .productRemoved:
                metrics.countRead()
                return alertState.apply(try event.data(as: RemovedProduct.self), from: event)
            default:
                return []  // no rule is about other events
            }
        } catch {
            logger.error("cannot read an event; it fires no alert", [.topic: event.topic, .error: "\(error)"])
            return []
        }
    }

    /// Returns the poster's version in the board's URLs; nil if there is none. Logs an event that cannot be read.
    private func poster(in event: Event) -> String? {
        do throws(DecodingError) {
            return try event.data(as: Poster.self).image?.version
        } catch {
            logger.error("cannot read a poster; messages have none", [.topic: event.topic, .error: "\(error)"])
            return nil
        }
    }

    /// Writes the result of a batch, and tries again until that works; then logs and counts its alerts.
    private func write(_ result: BatchResult) async {
        // The alerts of many years are too large for one transaction. The changes come with the last ones, so that after a
        // crash all are decided again; an alert is in the log once.
        var decisions = result.decisions[...]
        while decisions.count > Self.decisionsPerWrite {
            await write(Array(decisions.prefix(Self.decisionsPerWrite)), changes: nil)
            decisions = decisions.dropFirst(Self.decisionsPerWrite)
        }
        await write(Array(decisions), changes: result.changes, posters: result.posters)
        if result.isLive { logger.info("all charts are read", [.date: result.newestDay]) }
    }

    private func write(
        _ decisions: [Decision], changes: AlertState.Changes?, posters: [MovieCode: String?] = [:]
    ) async {
        guard !Task.isCancelled else { return }  // the process ends
        await RetryLoop(clock: clock).run {
            report(try await store.record(decisions, changes: changes, posters: posters))
        } onFailure: { error in
            logger.error("cannot write decisions to the database; the notifier tries again", [.error: "\(error)"])
        }
    }

    private func report(_ decisions: [Decision]) {
        for decision in decisions { metrics.countDecided(decision.alert.rule) }
        logger.info(
            "alert",
            each: decisions.map { decision in
                [
                    .topic: decision.event?.topic, .sequence: decision.alert.evidence.first?.sequence,
                    .alert: decision.id, .text: decision.alert.text.ko,
                ]
            })
    }
}

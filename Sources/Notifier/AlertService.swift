import BoxOffice
import Concurrency
import Contract
import Messaging
import OpenMarket
import ServiceRuntime

/// Reads the worker's events, each once and in order, and decides the alerts; all events at hand are one transaction. With
/// `--since` nothing of the state is written until the days of history are decided, in steps.
struct AlertService: Service {
    let subscription: Subscription
    let store: NotifierStore
    let alertState: AlertState
    let metrics: NotifierMetrics
    let runtime: Runtime

    /// The days of history that are decided and written in one step: some hundred alerts.
    private static let daysPerStep = 250

    private struct BatchResult {
        var decisions: [Decision] = []
        /// The changes of the state; nil while days of history have yet to be decided.
        var changes: AlertState.Changes?
        /// The posters in the batch, by their version in the board's URLs; nil for a movie without one.
        var posters: [MovieCode: String?] = [:]
        /// Whether all events published so far have been read.
        var isLive = false
        var newestDay: KoreanDate?
    }

    func run() async throws {
        var alertState = alertState
        try await withThrowingTaskGroup(of: Void.self) { writing in
            // Writes run one after the other, and at most one waits.
            func startWriting(_ result: BatchResult) async throws {
                try await writing.next()
                writing.addImmediateTask { await write(result) }
            }
            _ = try await subscription.readBatches { batch -> Never? in
                var result = BatchResult()
                for item in batch.items {
                    if case .event(let event) = item, case .poster(let code) = event.topic {
                        result.posters.updateValue(poster(in: event), forKey: code)
                        continue
                    }
                    if alertState.endsPendingHistory(item) {
                        var days = alertState.historyDays[...]
                        while !days.isEmpty {
                            let decisions = alertState.decideHistory(of: days.prefix(Self.daysPerStep))
                            try await startWriting(BatchResult(decisions: decisions))
                            days = days.dropFirst(Self.daysPerStep)
                        }
                        alertState.endHistory()
                    }
                    result.decisions += apply(item, &alertState)
                    if case .live = item { result.isLive = true }
                }
                alertState.position = batch.position
                if !alertState.isHistoryPending { result.changes = alertState.drainChanges() }
                result.newestDay = alertState.newestDay
                try await startWriting(result)
                return nil
            }
        }
    }

    func stop() async {
        await subscription.close()
    }

    private func apply(_ item: Subscription.Item, _ alertState: inout AlertState) -> [Decision] {
        switch item {
        case .event(let event):
            return decide(on: event, &alertState)
        case .live(let position):
            alertState.closeBaseline(at: position)
        case .newLog(let position):
            alertState.startNewLog()
            runtime.logger.warning(
                "the worker has a new log; the notifier reads it from its beginning", [.epoch: position.epoch])
        }
        return []
    }

    private func decide(on event: Event, _ alertState: inout AlertState) -> [Decision] {
        do throws(DecodingError) {
            switch event.topic {
            case .ranking(let day, let market) where alertState.markets[market] != nil:
                metrics.events.add()
                runtime.failPoints.reach(.read)
                let decisions = try alertState.applyChart(of: day, market, from: event)
                runtime.failPoints.reach(.decided)
                return decisions
            case .anomaly:
                metrics.events.add()
                return alertState.apply(try event.data(as: Anomaly.self), from: event)
            case .products:
                metrics.events.add()
                return alertState.apply(try event.data(as: ProductPage.self).products, from: event)
            case .product:
                metrics.events.add()
                return alertState.apply([try event.data(as: Product.self)], from: event)
            case .productRemoved:
                metrics.events.add()
                return alertState.apply(try event.data(as: RemovedProduct.self), from: event)
            default:
                return []  // no rule is about other events
            }
        } catch {
            runtime.logger.error("cannot read an event; it fires no alert", [.topic: event.topic, .error: "\(error)"])
            return []
        }
    }

    /// Returns the poster's version in the board's URLs; nil if there is none. Logs an event that cannot be read.
    private func poster(in event: Event) -> String? {
        do throws(DecodingError) {
            return try event.data(as: Poster.self).image?.version
        } catch {
            runtime.logger.error("cannot read a poster; messages have none", [.topic: event.topic, .error: "\(error)"])
            return nil
        }
    }

    /// Writes the result of a batch, and tries again until that works; then logs and counts its alerts.
    private func write(_ result: BatchResult) async {
        guard !Task.isCancelled else { return }  // the process ends
        if !result.decisions.isEmpty || result.changes != nil || !result.posters.isEmpty {
            await RetryLoop(clock: runtime.clock).run {
                report(
                    try await store.record(result.decisions, changes: result.changes, posters: result.posters))
            } onFailure: { error in
                runtime.logger.error(
                    "cannot write decisions to the database; the notifier tries again", [.error: "\(error)"])
            }
        }
        if result.isLive { runtime.logger.info("all charts are read", [.date: result.newestDay]) }
    }

    private func report(_ decisions: [Decision]) {
        for decision in decisions { metrics.alerts[decision.alert.rule]?.add() }
        runtime.logger.info(
            "alert",
            each: decisions.map { decision in
                [
                    .topic: decision.event?.topic, .sequence: decision.alert.evidence.first?.sequence,
                    .alert: decision.id, .text: decision.alert.text.ko,
                ]
            })
    }
}

struct NotifierMetrics: Sendable {
    let events: Counter
    let repaired: Counter
    let alerts: [AlertRule: Counter]

    init(_ metrics: Metrics) {
        events = metrics.counter("marquee_events_read_total", "Events of the worker that the notifier read.")
        repaired = metrics.counter(
            "marquee_events_repaired_total", "Events that the live stream missed and that were read from the log.")
        alerts = metrics.counters("marquee_alerts_total", "Alerts decided, by rule.", for: AlertRule.allCases) {
            ["rule": $0.rawValue]
        }
    }
}

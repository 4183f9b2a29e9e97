import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import Operations
import SQLite

/// Finds the anomalies in charts and failures, and logs each once.
struct AnomalyStore {
    private let transaction: StoreTransaction
    private var connection: Connection { transaction.connection }

    init(_ transaction: StoreTransaction) {
        self.transaction = transaction
    }

    /// Returns the anomalies in a day's chart that differs from the log; `known` is the newest event of its topic.
    func anomalies(in chart: Chart, after known: LoggedEvent?) throws -> [Anomaly] {
        let topic = Topic.ranking(day: chart.date - 1, market: chart.market)
        let dayBefore = try transaction.log.latest(topic, in: connection)
        return chart.anomalies(after: try known?.data(), dayBefore: try readable { try dayBefore?.data() })
    }

    /// Returns the anomalies in a week's chart that differs from the log.
    func anomalies(in chart: WeekChart, after known: LoggedEvent?) throws -> [Anomaly] {
        let topic = Topic.weekRanking(chart.week.previous, market: chart.chart.market)
        let before = try transaction.log.latest(topic, in: connection)
        return chart.anomalies(after: try known?.data(), weekBefore: try readable { try before?.data() })
    }

    /// Returns the anomaly of a request that failed: a chart that had figures, or must have some, has none.
    func anomalies(in error: ContractError, of request: Request, at now: Date) throws -> [Anomaly] {
        guard error.code == .notPublished else { return [] }
        let (topic, market, lastDay, empty): (Topic, Market, KoreanDate, (Int?) -> Anomaly)
        switch request.target {
        case .day(let date, let of):
            (topic, market, lastDay) = (.ranking(day: date, market: of), of, date)
            empty = { .empty(date, in: of, lines: $0) }
        case .week(let week, let of):
            (topic, market, lastDay) = (.weekRanking(week, market: of), of, week.lastDay)
            empty = { .empty(week, in: of, lines: $0) }
        case .movie, .products, .productOrder: return []
        }
        if let known = try transaction.log.latest(topic, in: connection) {
            return [empty(try known.data(as: Chart.self).entries.count)]
        }
        // A small market may have no movie on a day; the national one always has.
        guard market == .all, Chart.state(of: lastDay, at: now) == .settled else { return [] }
        return [empty(nil)]
    }

    /// Appends the anomalies that are not in the log yet, and returns their events and themselves.
    func append(
        _ anomalies: [Anomaly], foundBy accepted: AcceptedRequest
    ) throws -> (events: [LoggedEvent], new: [Anomaly]) {
        let new = try anomalies.filter { try isNew($0) }
        let drafts = try new.map { anomaly in
            try EventDraft(
                .anomaly(anomaly.kind, anomaly.date), id: anomaly.id, correlationID: accepted.id,
                priority: accepted.request.priority, encoding: anomaly)
        }
        return (try transaction.append(drafts), new)
    }

    /// Logs and publishes that a chart is late, once; returns whether the log did not have it yet.
    func appendLate(_ anomaly: Anomaly) throws -> Bool {
        guard try isNew(anomaly) else { return false }
        let draft = try EventDraft(.anomaly(anomaly.kind, anomaly.date), id: anomaly.id, encoding: anomaly)
        transaction.changes.events += try transaction.append([draft])
        return true
    }

    private func isNew(_ anomaly: Anomaly) throws -> Bool {
        try transaction.log.event(id: anomaly.id, in: connection) == nil
    }
}

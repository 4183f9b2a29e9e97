import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import Operations
import SQLite

extension WorkerStore {
    /// What is hard to believe of a chart that says something new, `known` being the newest event of its topic.
    func anomalies(in chart: Chart, after known: LoggedEvent?, in connection: Connection) throws -> [Anomaly] {
        let topic = Topic.ranking(day: chart.date - 1, market: chart.market)
        let dayBefore = try recentCharts.newest(topic, of: log, in: connection)
        return chart.anomalies(after: try known?.data(), dayBefore: dayBefore)
    }

    /// What is hard to believe of a week's chart, likewise.
    func anomalies(in chart: WeekChart, after known: LoggedEvent?, in connection: Connection) throws -> [Anomaly] {
        let before = try log.latest(.weekRanking(chart.week.previous, market: chart.chart.market), in: connection)
        return chart.anomalies(after: try known?.data(), weekBefore: try before?.data())
    }

    /// What is hard to believe of a request's failure: that a chart has no figures which had some, or must have.
    func anomalies(
        in failure: ContractError, of request: Request, at now: Date, in connection: Connection
    ) throws -> [Anomaly] {
        guard failure.code == .notPublished else { return [] }
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
        if let known = try log.latest(topic, in: connection) {
            return [empty(try known.data(as: Chart.self).entries.count)]
        }
        // A small market may have no film on a day; the whole one always has.
        guard market == .all, Chart.state(of: lastDay, at: now) == .settled else { return [] }
        return [empty(nil)]
    }

    /// Appends the anomalies that were not told before, and returns their events and themselves.
    func tell(
        _ anomalies: [Anomaly], foundBy accepted: AcceptedRequest, in connection: Connection
    ) throws -> (events: [LoggedEvent], new: [Anomaly]) {
        let new = try anomalies.filter { try log.event(id: $0.id, in: connection) == nil }
        let drafts = try new.map { anomaly in
            try EventDraft(
                .anomaly(anomaly.kind, anomaly.date), id: anomaly.id, correlationID: accepted.id,
                priority: accepted.request.priority, encoding: anomaly)
        }
        return (try log.append(drafts, at: clock.now(), in: connection), new)
    }
}

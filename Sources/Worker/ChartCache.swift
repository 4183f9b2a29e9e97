import BoxOffice
import Concurrency
import Contract
import EventStore
import JSONCoding
import SQLite

/// The days' charts that were written or asked for last, so that neither the next request for one nor the chart of the day
/// after reads it from the log again.
///
/// A chart is known by the place of the event that tells it. Each event is kept when it is appended, before anybody knows
/// whether it will stay: one that is undone is known no longer once the log has another at that place.
final class ChartCache: Sendable {
    private struct Known {
        let event: LoggedEvent
        /// The state of the chart, once it was asked for.
        var state: Chart.State?
        /// The chart, once it was asked for.
        var chart: Chart?
    }

    /// As many as are under way at once, and more.
    private static let limit = 250

    /// Those that were kept last, and as many before them.
    private let charts = Locked<(new: [Topic: Known], old: [Topic: Known])>(([:], [:]))

    /// The event that tells the newest chart of a topic, be it a day's or a week's, and the chart's state, if there is one.
    func latest(
        _ topic: Topic, of log: EventLog, in connection: Connection
    ) throws -> (event: LoggedEvent, state: Chart.State)? {
        guard var known = try known(topic, of: log, in: connection) else { return nil }
        if let state = known.state { return (known.event, state) }
        let state = try known.event.data(as: StateOfChart.self).value
        known.state = state
        keep(known)
        return (known.event, state)
    }

    /// The newest chart of a topic, if there is one.
    func newest(_ topic: Topic, of log: EventLog, in connection: Connection) throws -> Chart? {
        guard let known = try known(topic, of: log, in: connection) else { return nil }
        if let chart = known.chart { return chart }
        let chart = try known.event.data(as: Chart.self)
        keep(chart, toldBy: known.event)
        return chart
    }

    /// Keeps an event that tells a chart, and the chart, if somebody knows it.
    func keep(_ chart: Chart?, toldBy event: LoggedEvent) {
        keep(Known(event: event, state: chart?.state, chart: chart))
    }

    private func keep(_ known: Known) {
        charts.withLock { charts in
            if charts.new.count >= Self.limit { charts = ([:], charts.new) }
            charts.new[known.event.topic] = known
        }
    }

    private func known(_ topic: Topic, of log: EventLog, in connection: Connection) throws -> Known? {
        if let known = charts.withLock({ $0.new[topic] ?? $0.old[topic] }),
            try log.newest(topic, in: connection) == known.event.sequence
        {
            return known
        }
        guard let event = try log.latest(topic, in: connection) else { return nil }
        let known = Known(event: event)
        keep(known)
        return known
    }
}

/// The state in a chart, be it a day's or a week's; the lines are not looked at.
private struct StateOfChart: JSONReadable {
    let value: Chart.State

    init(json: JSONValue) throws(DecodingError) {
        value = try json.value("state").word()
    }
}

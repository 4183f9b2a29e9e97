import BoxOffice
import Concurrency
import Contract
import EventStore
import JSONCoding
import SQLite

/// The charts that were written or read last, so that the next request for one, or the chart of the day after, does not
/// read it from the log again.
///
/// An entry is valid while the log's newest event of its topic has the entry's sequence. An event is inserted when it is
/// appended, before its commit; if the transaction is rolled back, the entry becomes invalid by that rule.
final class ChartCache: Sendable {
    private struct Entry {
        let event: LoggedEvent
        /// The state of the chart, once it was read.
        var state: Chart.State?
        /// The chart, once it was read.
        var chart: Chart?
    }

    /// The most entries of one generation: more than are in use at once.
    private static let limit = 250

    /// The newest entries, and the generation before them.
    private let entries = Locked<(new: [Topic: Entry], old: [Topic: Entry])>(([:], [:]))

    /// Returns the newest event of a chart's topic, a day's or a week's, and the chart's state; nil if there is none.
    func latest(
        _ topic: Topic, of log: EventLog, in connection: Connection
    ) throws -> (event: LoggedEvent, state: Chart.State)? {
        guard var entry = try entry(topic, of: log, in: connection) else { return nil }
        if let state = entry.state { return (entry.event, state) }
        let state = try entry.event.data(as: StateOfChart.self).value
        entry.state = state
        insert(entry)
        return (entry.event, state)
    }

    /// Returns the newest chart of a day's topic, or nil if there is none.
    func chart(_ topic: Topic, of log: EventLog, in connection: Connection) throws -> Chart? {
        guard let entry = try entry(topic, of: log, in: connection) else { return nil }
        if let chart = entry.chart { return chart }
        let chart = try entry.event.data(as: Chart.self)
        insert(chart, of: entry.event)
        return chart
    }

    /// Inserts the event of a chart, and the chart itself if the caller has it.
    func insert(_ chart: Chart?, of event: LoggedEvent) {
        insert(Entry(event: event, state: chart?.state, chart: chart))
    }

    private func insert(_ entry: Entry) {
        entries.withLock { entries in
            if entries.new.count >= Self.limit { entries = ([:], entries.new) }
            entries.new[entry.event.topic] = entry
        }
    }

    private func entry(_ topic: Topic, of log: EventLog, in connection: Connection) throws -> Entry? {
        if let entry = entries.withLock({ $0.new[topic] ?? $0.old[topic] }),
            try log.newest(topic, in: connection) == entry.event.sequence
        {
            return entry
        }
        guard let event = try log.latest(topic, in: connection) else { return nil }
        let entry = Entry(event: event)
        insert(entry)
        return entry
    }
}

/// The state in a chart, a day's or a week's; the entries are not decoded.
private struct StateOfChart: JSONReadable {
    let value: Chart.State

    init(json: JSONValue) throws(DecodingError) {
        value = try json.value("state").word()
    }
}

import BoxOffice
import Events
import Locking
import SQLite

/// The days' charts that were written last, so that the chart of the day after each is compared with it without reading it
/// from the log again.
///
/// It is asked and told inside of the writer's transactions. A chart is known by the place of the event that tells it: one
/// that was undone is told again, at that place or another, before the log has any of its topic.
final class RecentCharts: Sendable {
    private typealias Known = (sequence: SequenceNumber, chart: Chart)

    /// As many as are under way at once, and more.
    private static let limit = 250

    /// Those that were kept last, and as many before them.
    private let charts = Locked<(new: [Topic: Known], old: [Topic: Known])>(([:], [:]))

    /// The newest chart of a topic, if there is one.
    func newest(_ topic: Topic, of log: EventLog, in connection: Connection) throws -> Chart? {
        if let known = charts.withLock({ $0.new[topic] ?? $0.old[topic] }),
            try log.newest(topic, in: connection) == known.sequence
        {
            return known.chart
        }
        return try log.latest(topic, in: connection)?.data()
    }

    /// Keeps a chart that an event tells.
    func keep(_ chart: Chart, toldBy event: LoggedEvent) {
        charts.withLock { charts in
            if charts.new.count >= Self.limit { charts = ([:], charts.new) }
            charts.new[event.topic] = (event.sequence, chart)
        }
    }
}

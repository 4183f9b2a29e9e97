public import BoxOffice
public import Contract
public import FoundationEssentials
import Storage

/// The charts in a worker's log; reads only the events that a question needs, and does not verify their checksums.
public struct ChartHistory {
    let log: EventLog
    let connection: Connection
    /// Is called with each chart that cannot be read.
    var onUnreadable: (LoggedEvent, DecodingError) -> Void = { _, _ in }

    /// Returns every revision of a chart, in the order in which they were recorded.
    public func revisions(of topic: Topic) throws -> [ChartRevision] {
        try log.events(about: topic, in: connection).compactMap(revision(of:))
    }

    /// Returns the revision that an event published; nil if it cannot be read.
    public func revision(of event: LoggedEvent) -> ChartRevision? {
        do throws(DecodingError) {
            return try ChartRevision(event)
        } catch {
            onUnreadable(event, error)
            return nil
        }
    }

    /// Passes the newest revision of each day in a period to `body`, in the order of days; at most 500 are in memory.
    public func forEachDay(
        from first: KoreanDate, through last: KoreanDate, in market: Market, _ body: (LoggedEvent) throws -> Void
    ) throws {
        // Topics of one market sort as their days do.
        let end = Topic.ranking(day: last, market: market).description
        var after = Topic.ranking(day: first - 1, market: market).description
        var more = true
        while more {
            let page = try log.latest(prefix: Self.prefix(of: market), after: after, limit: 500, in: connection)
            for event in page.events {
                after = event.topic.description
                guard after <= end else { return }
                try body(event)
            }
            more = page.more
        }
    }

    /// Returns the days on which a movie was in the daily chart of a market, by the newest revision of each day.
    public func days(of movie: MovieCode, in market: Market) throws -> [ChartAppearance] {
        // The field as our own JSON has it. A correction may name a movie that has left the chart, so the entries decide.
        let mention = Array("\"movieCode\":\"\(movie)\"".utf8)
        return try log.latest(prefix: Self.prefix(of: market), containing: mention, in: connection).compactMap {
            event in
            guard let revision = revision(of: event) else { return nil }
            return revision.chart.entries.firstLines.first { $0.movieCode == movie }.map {
                ChartAppearance(revision: revision, entry: $0)
            }
        }
    }

    private static func prefix(of market: Market) -> String {
        "ranking.day.\(market)."
    }
}

/// A revision of a chart and the time at which it was recorded.
public struct ChartRevision: Hashable, Sendable {
    /// The event that published the chart.
    public let event: Event
    /// The figures. The date of a week's chart is its first day.
    public let chart: Chart

    /// The time at which the chart entered the log; the chart's date is the day it is about.
    public var recordedAt: Date { event.time }

    /// Decodes a chart's event.
    public init(_ event: LoggedEvent) throws(DecodingError) {
        self.event = try Event(topic: event.topic, body: event.body)
        chart = try event.data()
    }
}

/// A movie's entry in the chart of one day.
public struct ChartAppearance: Hashable, Sendable {
    /// The chart with the entry.
    public let revision: ChartRevision
    /// The movie's entry.
    public let entry: ChartEntry

    /// The chart's day.
    public var date: KoreanDate { revision.chart.date }
}

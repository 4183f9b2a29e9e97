public import BoxOffice
public import Contract
public import SQLite

/// The charts of a worker's log, by the day that they are about and by when they were learnt.
///
/// It changes nothing, and reads only the events that it needs: a log that was damaged is found out by whoever proves it.
public struct ChartHistory {
    private let log: EventLog
    private let connection: Connection

    /// Reads the log of a connection.
    public init(_ log: EventLog, in connection: Connection) {
        self.log = log
        self.connection = connection
    }

    /// Every revision of a chart, in the order in which they were learnt.
    public func revisions(of topic: Topic) throws -> [ChartRevision] {
        try log.all(of: topic, in: connection).map(ChartRevision.init)
    }

    /// Hands the newest revision of each day that has one to `body`, day by day and a few at a time in memory.
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

    /// The days on which a film was in the daily chart of a market, by the newest revision of each.
    public func days(of movie: MovieCode, in market: Market) throws -> [ChartAppearance] {
        // As our own JSON has it. A correction may name a film that is not in the chart any more, hence the second look.
        let mention = Array("\"movieCode\":\"\(movie)\"".utf8)
        return try log.latest(prefix: Self.prefix(of: market), holding: mention, in: connection).compactMap { event in
            let revision = try ChartRevision(event)
            return revision.chart.entries.first { $0.movieCode == movie }.map {
                ChartAppearance(revision: revision, entry: $0)
            }
        }
    }

    private static func prefix(of market: Market) -> String {
        "ranking.day.\(market)."
    }
}

import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import Health
import JSONCoding
import Messaging
import Operations
import SQLite

/// The notifier's database: how far it has read, its state, and the alerts it decided, changed in whole transactions.
///
/// An alert is in the log once, by its id, however often the worker's log is read. New alerts are passed to `publish`
/// right after their commit.
struct NotifierStore: Sendable {
    static let schema = Schema(
        "mqnt", version: 1,
        [EventLog.tables, tables, Outbox.tables, HealthCheck.table].joined(separator: "\n"))

    let database: Database
    let log: EventLog
    let wallClock: WallClock
    let publish: @Sendable ([LoggedEvent]) -> Void
    /// The deliveries to sinks; nil for no delivery.
    var outbox: Outbox?
    var failPoints = FailPoints.none

    /// Writes decisions and changes of the state in one transaction, and returns the decisions that are new.
    ///
    /// Nothing else appends alerts to the log.
    ///
    /// - Parameter posters: the posters that were read, for messages; see ``Outbox``.
    /// - Throws: an error of the database; nothing is written then.
    func record(
        _ decisions: [Decision] = [], changes: AlertState.Changes?, posters: [MovieCode: String?] = [:]
    ) async throws -> [Decision] {
        let now = wallClock.now()
        return try await database.write { connection in
            try outbox?.save(posters, in: connection)
            if let changes { try save(changes, in: connection) }
            let drafts = decisions.map { decision in
                let alert = decision.alert
                guard let topic = alert.topic else { preconditionFailure("alert \(decision.id) has no subject") }
                return EventDraft(
                    topic, id: decision.id, correlationID: decision.event?.correlationID, data: alert.json)
            }
            let logged = try log.appendEach(of: drafts, at: now, in: connection)
            var new: [Decision] = []
            var events: [LoggedEvent] = []
            for (decision, (event, isNew)) in zip(decisions, logged) where isNew {
                if decision.event != nil {
                    let alert = OutboundAlert(decision.alert, id: decision.id, event: event)
                    try outbox?.enqueue([alert], at: now, in: connection)
                }
                events.append(event)
                new.append(decision)
            }
            try save(decisions, in: connection)
            failPoints.reach(.settled)
            connection.afterCommit { [events] in
                failPoints.reach(.committed)
                publish(events)
                failPoints.reach(.published)
            }
            return new
        }
    }

    /// Loads the state of the last write, for these rules.
    ///
    /// The log is read again from its beginning if `since` changed, or if there are rules for a market without a state.
    /// Alerts decided earlier do not fire again, and what was read earlier becomes baseline, unless `since` asks for it.
    /// The same holds for the product streams when the first rule about products comes into force.
    ///
    /// - Throws: an error of the database, or a `DecodingError` if a row cannot be read.
    func loadAlertState(rules: AlertRules, since: KoreanDate?) async throws -> AlertState {
        let now = wallClock.now()
        return try await database.write { connection in
            let reading = try Self.readingState(in: connection)
            var baseline = reading?.baseline ?? BaselinePosition()
            var position = reading?.position
            let known = try rules.hasProductRules ? loadProductStates(in: connection) : nil
            if known == nil {
                try deleteProductStates(in: connection)
                baseline.reopen(ProductStates.streams)
                position = position.map { position in
                    LogCursor(
                        epoch: position.epoch,
                        streams: position.streams.filter { !ProductStates.streams.contains($0.key) })
                }
            }
            var marketStates: [Market: MarketState]?
            // The days from a new `since` on are decided where the baseline ends.
            if let reading, let since, since != reading.since { baseline.reopen([.ranking]) }
            let openSince = baseline.ends[.ranking] == nil ? since : nil
            if let reading, since == nil || since == reading.since {
                try deleteMarkets(except: rules.markets, in: connection)
                let stored = try loadMarketStates(since: openSince, in: connection)
                if rules.markets.isSubset(of: stored.keys) {
                    marketStates = stored
                } else if let position {
                    baseline.extend(to: position)
                }
            }
            if marketStates == nil {
                try deleteMarkets(except: [], in: connection)
                position = nil
            }
            // A market whose row was deleted still has its decisions.
            let states = try marketStates ?? emptyMarketStates(of: rules.markets, since: openSince, in: connection)
            var alertState = AlertState(
                decider: AlertDecider(rules: rules, since: openSince, marketStates: states),
                productStates: rules.hasProductRules ? known ?? ProductStates(began: now) : nil,
                position: position, since: since, began: reading?.began ?? now, baseline: baseline)
            try save(alertState.drainChanges(), in: connection)
            return alertState
        }
    }

    private func emptyMarketStates(
        of markets: Set<Market>, since: KoreanDate?, in connection: Connection
    ) throws -> [Market: MarketState] {
        try Dictionary(
            uniqueKeysWithValues: markets.map { market in
                (market, try loadMarketState(of: market, since: since, in: connection))
            })
    }
}

// MARK: - Schema

extension NotifierStore {
    /// The tables of the state.
    ///
    /// `reading` has one row about the reading of the worker's log. `open_chart` holds the charts that a correction can
    /// still change, `known_day` all days with a chart and who led, `movie` the movies' totals of older days, `market` the
    /// newest day of each market, and `decision` the alerts of recent days. `product` holds the Open Market's products, and
    /// `product_reading` since when they are known.
    private static let tables = """
        create table reading (
            id integer primary key check (id = 1),
            began text not null,
            position blob,
            since text,
            baseline blob not null
        ) strict;

        create table market (
            market text primary key,
            newest_day text
        ) strict, without rowid;

        create table open_chart (
            market text not null,
            date text not null,
            sequence integer not null,
            chart blob not null,
            primary key (market, date)
        ) strict, without rowid;

        create table known_day (
            market text not null,
            date text not null,
            leader text,
            primary key (market, date)
        ) strict, without rowid;

        create table movie (
            market text not null,
            code text not null,
            first_day text,
            last_day text,
            best_day text,
            best_audience integer,
            total integer,
            primary key (market, code)
        ) strict, without rowid;

        create table decision (
            id text primary key,
            market text not null,
            date text not null,
            is_standing integer not null
        ) strict, without rowid;
        create index decision_day on decision (market, date);

        create table product_reading (
            id integer primary key check (id = 1),
            began integer not null,
            opened integer
        ) strict;

        create table product (
            id integer primary key,
            seen integer not null,
            name text,
            currency text,
            price text,
            discount text,
            bargain_price text,
            stock integer
        ) strict;
        """
}

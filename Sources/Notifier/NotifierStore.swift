import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import Health
import JSONCoding
import Messaging
import Operations
import SQLite

/// The notifier's memory on disk: how far it has read, what it knows and the alerts it decided, in one database, changed
/// in whole transactions.
///
/// An alert is in the log once, by its id, whatever is read again. New ones are handed to `publish` right after the
/// commit that made them.
struct NotifierStore: Sendable {
    static let schema = Schema(
        EventLog.schema, Schema.Component("ledger", migrations: migrations), Outbox.schema, HealthCheck.schema)

    let database: Database
    let log: EventLog
    let clock: WallClock
    let publish: @Sendable ([LoggedEvent]) -> Void
    /// Where alerts go on their way to people.
    var outbox: Outbox?
    var failPoints = FailPoints.none

    /// Writes what was decided, and all that has changed in the memory, and returns the decisions that are new.
    ///
    /// The one place where alerts become events of the log.
    func record(_ decisions: [Decision] = [], then changes: AlertState.Changes) async throws -> [Decision] {
        let now = clock.now()
        return try await database.write { connection in
            try write(changes, in: connection)
            let drafts = decisions.map { decision in
                let alert = decision.alert
                guard let topic = alert.topic else { preconditionFailure("\(decision.id) is about nothing") }
                return EventDraft(
                    topic, id: decision.id, correlationID: decision.event.correlationID, data: alert.json)
            }
            let logged = try log.appendEach(of: drafts, at: now, in: connection)
            var new: [Decision] = []
            var events: [LoggedEvent] = []
            for (decision, (event, isNew)) in zip(decisions, logged) where isNew {
                if decision.isForPeople {
                    let alert = OutboundAlert(decision.alert, id: decision.id, event: event)
                    try outbox?.enqueue([alert], at: now, in: connection)
                }
                events.append(event)
                new.append(decision)
            }
            try keep(decisions, in: connection)
            failPoints.reach(.settled)
            connection.afterCommit { [events] in
                failPoints.reach(.committed)
                publish(events)
                failPoints.reach(.published)
            }
            return new
        }
    }

    /// What was known at the last write, to go on with by these rules.
    ///
    /// The log is read again from its beginning if alerts are asked for from another day on than before, or if there are
    /// rules for a market of which nothing is known: what was decided then is not decided twice, and what was read then is
    /// history, unless it is asked for. Likewise with the streams of the shop, where there were no rules about products.
    func recall(rules: AlertRules, since: KoreanDate?) async throws -> AlertState {
        let now = clock.now()
        return try await database.write { connection in
            let reading = try Self.reading(in: connection)
            let began = reading?.began ?? now
            var history = reading?.history ?? BaselinePosition()
            var position = reading?.position
            let known = try rules.looksAtProducts ? shelf(in: connection) : nil
            if known == nil {
                try forgetShelf(in: connection)
                history.forget(ProductStates.streams)
                position = position.map { position in
                    LogCursor(
                        epoch: position.epoch,
                        streams: position.streams.filter { !ProductStates.streams.contains($0.key) })
                }
            }
            let shelf = rules.looksAtProducts ? known ?? ProductStates(began: now) : nil
            if let reading, since == nil || since == reading.since {
                try forgetBooks(besides: rules.markets, in: connection)
                let books = try books(since: since, in: connection)
                if rules.markets.isSubset(of: books.keys) {
                    var memory = AlertState(
                        decider: AlertDecider(rules: rules, since: since, books: books), shelf: shelf,
                        position: position, since: since, began: began, history: history)
                    try write(memory.takeChanges(), in: connection)
                    return memory
                }
                if let position { history.extend(to: position) }
            }
            try forgetBooks(besides: [], in: connection)
            let books = Dictionary(
                uniqueKeysWithValues: try rules.markets.map { market in
                    (market, try book(of: market, since: since, in: connection))
                })
            var memory = AlertState(
                decider: AlertDecider(rules: rules, since: since, books: books), shelf: shelf, since: since,
                began: began, history: history)
            try write(memory.takeChanges(), in: connection)
            return memory
        }
    }
}

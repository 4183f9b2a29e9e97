import FoundationEssentials
import Storage
import Text

/// The number of a sink's deliveries in each state.
struct SinkCounts: Hashable, Sendable, Encodable {
    var waiting = 0
    var sent = 0
    /// In dead letters.
    var dead = 0
}

extension Outbox {
    enum DeadLetters: Hashable, Sendable {
        case of(sink: String)
        case withKey(String)
    }

    /// Makes dead letters of the deliveries that wait for sinks that are no longer configured.
    ///
    /// If such a sink is configured again, it does not get old news.
    ///
    /// - Parameter busy: sinks to leave out, because a worker may still send one of their messages.
    func closeRemovedSinks(
        except busy: Set<String> = [], at now: Date, in connection: Connection
    ) throws(DatabaseError) {
        let kept = busy.union(sinks.map(\.name))
        let waiting = try connection.query("select distinct sink from delivery where state = 0", as: String.self)
        for sink in waiting where !kept.contains(sink) {
            try connection.execute(
                "update delivery set state = ?, ended_at = ?, response = ? where sink = ? and state = 0",
                State.dead.rawValue, now.millisecondsSince1970, "no sink of this name is configured any more", sink)
        }
    }

    /// Makes dead letters wait again, with the keys that they had; returns the number of alerts by sink.
    ///
    /// Dead letters of sinks that are no longer configured stay dead.
    func requeue(_ dead: DeadLetters, in connection: Connection) throws(DatabaseError) -> [String: Int] {
        var requeued: [String: Int] = [:]
        for sink in sinks {
            let key: String?
            switch dead {
            case .of(let name) where name != sink.name: continue
            case .of: key = nil
            case .withKey(let message): key = message
            }
            // A message that was tried keeps one attempt: it may have arrived, and a retraction has to follow it.
            let rows = try connection.query(
                """
                update delivery set state = 0, due_at = null, ended_at = null,
                    attempts = case when attempts > 1 then 1 else attempts end
                where sink = ? and state = 2 and coalesce(message, alert) = coalesce(?, message, alert) returning number
                """, sink.name, key, as: Int.self)
            if !rows.isEmpty { requeued[sink.name] = rows.count }
        }
        connection.afterCommit { [onNewDeliveries] in requeued.keys.forEach(onNewDeliveries) }
        return requeued
    }

    /// Returns the counts of each sink; every configured sink has an entry.
    func counts(in connection: Connection) throws(DatabaseError) -> [String: SinkCounts] {
        var counts = Dictionary(uniqueKeysWithValues: sinks.map { ($0.name, SinkCounts()) })
        let rows = try connection.query(
            "select sink, state, count(*) from delivery group by sink, state", as: String.self, Int.self, Int.self)
        for (sink, state, count) in rows {
            switch State(rawValue: state) {
            case .waiting: counts[sink, default: SinkCounts()].waiting = count
            case .sent: counts[sink, default: SinkCounts()].sent = count
            case .dead: counts[sink, default: SinkCounts()].dead = count
            case .withdrawn, .suppressed, nil: break
            }
        }
        return counts
    }
}

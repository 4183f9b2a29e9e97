import Contract
import FoundationEssentials
import SQLite

/// How many deliveries of a sink there are.
struct SinkCounts: Hashable, Sendable, Encodable {
    /// Those that wait to be sent.
    var waiting = 0
    /// Those that the sink took.
    var sent = 0
    /// Those in dead letters.
    var dead = 0
}

extension Outbox {
    /// Which dead letters are meant.
    enum Dead: Hashable, Sendable {
        case of(sink: String)
        case letter(String)
    }

    /// Makes dead letters of what waits for sinks that are no more: should one come back, its letters would be old news.
    func retire(at now: Date, in connection: Connection) throws(DatabaseError) {
        let waiting = try connection.query("select distinct sink from delivery where state = 0", as: String.self)
        for sink in waiting where !recipients.contains(where: { $0.name == sink }) {
            try connection.execute(
                "update delivery set state = ?, ended_at = ?, answer = ? where sink = ? and state = 0",
                State.dead.rawValue, now.milliseconds, "there is no sink of this name any more", sink)
        }
    }

    /// Has dead letters sent again, under the keys they had, and returns the sinks that they are for and how many alerts.
    ///
    /// Those of sinks that are no more stay dead.
    func revive(_ dead: Dead, in connection: Connection) throws(DatabaseError) -> [String: Int] {
        var revived: [String: Int] = [:]
        for recipient in recipients {
            let key: String?
            switch dead {
            case .of(let sink) where sink != recipient.name: continue
            case .of: key = nil
            case .letter(let letter): key = letter
            }
            // As good as tried once, if it was tried: it may have arrived.
            let rows = try connection.query(
                """
                update delivery set state = 0, attempts = min(attempts, 1), due_at = null, ended_at = null
                where sink = ? and state = 2 and coalesce(letter, alert) = coalesce(?, letter, alert) returning number
                """, recipient.name, key, as: Int.self)
            if !rows.isEmpty { revived[recipient.name] = rows.count }
        }
        connection.afterCommit { [news] in revived.keys.forEach(news) }
        return revived
    }

    /// How many deliveries each sink has; those that are configured are all there.
    func counts(in connection: Connection) throws(DatabaseError) -> [String: SinkCounts] {
        var counts = Dictionary(uniqueKeysWithValues: recipients.map { ($0.name, SinkCounts()) })
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

import Contract
import FoundationEssentials
import JSONCoding
import Messaging
import Storage
import Text

struct SinkCounts: Hashable, Sendable, Encodable {
    var waiting = 0
    var sent = 0
    /// In dead letters.
    var dead = 0
}

extension Outbox {
    /// Makes dead letters of what waits for sinks, or for the one of this name, that are not configured: once they are again,
    /// it is old news.
    func closeRemovedSinks(
        _ name: String? = nil, at now: Date, in connection: Connection
    ) throws(DatabaseError) {
        let configured = sinks.map(\.name)
        let waiting = try connection.query(
            "select distinct sink from delivery where state = 0 and sink = coalesce(?, sink)", name, as: String.self)
        for sink in waiting where !configured.contains(sink) {
            try connection.execute(
                "update delivery set state = ?, ended_at = ?, response = ? where sink = ? and state = 0",
                State.dead.rawValue, now.millisecondsSince1970, "no sink of this name is configured any more", sink)
        }
    }

    /// Makes dead letters of configured sinks wait again, with the keys that they had; returns the number of alerts by sink.
    func requeue(
        sink name: String? = nil, key: String? = nil, in connection: Connection
    ) throws(DatabaseError) -> [String: Int] {
        var requeued: [String: Int] = [:]
        for sink in sinks where name ?? sink.name == sink.name {
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
            case .retracted, .suppressed, nil: break
            }
        }
        return counts
    }

    /// Answers the command `retry`, which makes dead letters wait again: `retried`, with the number of alerts by sink, which
    /// may be empty.
    func answerRetry(_ command: Command, in database: Database) async throws -> Reply {
        struct Fields: Decodable {
            let sink: String?
            let letter: String?
        }
        let body = try RequestFrames(command.frames).body
        // A body that cannot be read has neither field.
        let fields = try? JSON.decode(Fields.self, from: Array(body.utf8))
        guard (fields?.sink == nil) != (fields?.letter == nil) else {
            throw ContractError(.badRequest, "the body must have either sink or letter", field: "body")
        }
        if let sink = fields?.sink, !sinks.contains(where: { $0.name == sink }) {
            throw ContractError(.notFound, "no sink of this name is configured", field: "sink")
        }
        let requeued = try await database.write {
            try requeue(sink: fields?.sink, key: fields?.letter, in: $0)
        }
        return Reply(frames: [Array("retried".utf8), JSON.encodeInfallibly(["sinks": requeued])])
    }
}

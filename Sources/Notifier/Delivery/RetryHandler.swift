import Contract
import JSONCoding
import Messaging
import Storage

/// The command `retry`: makes dead letters wait again.
struct RetryHandler: Sendable {
    let outbox: Outbox
    let database: Database

    private struct Fields: Decodable {
        let sink: String?
        let letter: String?
    }

    private struct RetryReply: Encodable {
        let sinks: [String: Int]
    }

    /// Returns the reply `retried` with the number of alerts that wait again, by sink; it may be empty.
    func answer(_ command: Command) async throws -> Reply {
        let dead = try deadLetters(in: command)
        let sinks = try await database.write { try outbox.requeue(dead, in: $0) }
        return Reply(frames: [Array("retried".utf8), try JSON.encode(RetryReply(sinks: sinks))])
    }

    private func deadLetters(in command: Command) throws(ContractError) -> Outbox.DeadLetters {
        let body = try RequestFrames(command.frames).body
        // A body that cannot be read has neither field.
        let fields = try? JSON.decode(Fields.self, from: Array(body.utf8))
        switch (fields?.sink, fields?.letter) {
        case (let sink?, nil):
            guard outbox.sinks.contains(where: { $0.name == sink }) else {
                throw ContractError(.notFound, "no sink of this name is configured", field: "sink")
            }
            return .of(sink: sink)
        case (nil, let letter?): return .withKey(letter)
        default: throw ContractError(.badRequest, "the body must have either sink or letter", field: "body")
        }
    }
}

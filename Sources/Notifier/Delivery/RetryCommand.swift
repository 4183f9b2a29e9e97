import Contract
import JSONCoding
import Messaging
import SQLite

/// The command `retry`: dead letters go out again.
struct RetryCommand: Sendable {
    let outbox: Outbox
    let database: Database

    /// What the command's body asks for.
    private struct Fields: Decodable {
        let sink: String?
        let letter: String?
    }

    private struct Retried: Encodable {
        let sinks: [String: Int]
    }

    /// Answers `retried` with how many alerts go out again to each sink, which may be none.
    func answer(_ command: Command) async -> Reply {
        do {
            let dead = try dead(in: command)
            let sinks = try await database.write { try outbox.revive(dead, in: $0) }
            return Reply(frames: [Array("retried".utf8), try JSON.encode(Retried(sinks: sinks))])
        } catch let failure as ContractError {
            return .refused(failure)
        } catch {
            return .refused(ContractError(.internal, "\(command.name) cannot be answered: \(error)"))
        }
    }

    private func dead(in command: Command) throws(ContractError) -> Outbox.Dead {
        let body = try RequestFrames(command.frames).body
        // Whatever is wrong with it, it names nothing.
        let fields = try? JSON.decode(Fields.self, from: Array(body.utf8))
        switch (fields?.sink, fields?.letter) {
        case (let sink?, nil):
            guard outbox.recipients.contains(where: { $0.name == sink }) else {
                throw ContractError(.notFound, "there is no sink of this name", field: "sink")
            }
            return .of(sink: sink)
        case (nil, let letter?): return .letter(letter)
        default: throw ContractError(.badRequest, "the body names a sink or a letter", field: "body")
        }
    }
}

import FoundationEssentials
public import ZeroMQ

/// Asks a worker for something and waits until the request has ended, as any client can by the contract.
public struct RequestClient: Sendable {
    /// How a request ended.
    public enum Outcome: Sendable {
        /// It is done; the events answer it, in the order in which they were published.
        case done(RequestDone, [Event])
        /// It has failed, or was refused.
        case failed(Failure)
    }

    private let io: IOThread
    private let commands: String
    private let events: String

    /// Makes a client of the worker with these addresses.
    public init(_ io: IOThread, commands: String, events: String) {
        self.io = io
        self.commands = commands
        self.events = events
    }

    /// Sends the request, which needs no id, and waits for its end; throws `Unanswered` after `limit`.
    public func perform(_ request: Request, within limit: Duration) async throws -> Outcome {
        try await perform(topic: request.topic.rawValue, body: request.frames.body, within: limit)
    }

    private func perform(topic: String, body: String, within limit: Duration) async throws -> Outcome {
        let reader = try await EventReader(
            io, address: events, prefixes: ["ranking.", "movie.", "poster.", "request."])
        let client = try await CommandClient(io, address: commands)
        let outcome: Result<Outcome, any Error>
        do {
            outcome = .success(
                try await withDeadline(limit, orThrow: Unanswered(address: commands)) {
                    try await Self.outcome(of: topic, body, asking: client, hearing: reader)
                })
        } catch {
            outcome = .failure(error)
        }
        await reader.close()
        await client.close()
        return try outcome.get()
    }

    /// Asks once the subscription is in force, and listens until the request has ended.
    private static func outcome(
        of topic: String, _ body: String, asking client: CommandClient, hearing reader: EventReader
    ) async throws -> Outcome {
        var heard: [Event] = []
        var id: RequestID?
        let outcome = try await reader.read { events, isLive -> Outcome? in
            if isLive, id == nil {
                let reply = try await client.ask(topic, body)
                if let failure = reply.failure { return .failed(failure) }
                id = reply.requestID
            }
            heard += events
            return try id.flatMap { try Self.end(of: $0, in: heard) }
        }
        guard let outcome else { throw Unanswered(address: "the events' address") }
        return outcome
    }

    /// The end of a request, if it is among the events that were heard.
    private static func end(of id: RequestID, in heard: [Event]) throws -> Outcome? {
        for event in heard {
            switch event.topic {
            case .request(.failed, id):
                return .failed(try event.data(as: RequestFailed.self).error)
            case .request(.done, id):
                let done = try event.data(as: RequestDone.self)
                let answers = done.events.compactMap { answer in
                    heard.last { $0.stream == answer.stream && $0.sequence == answer.sequence }
                }
                return .done(done, answers)
            default: continue
            }
        }
        return nil
    }
}

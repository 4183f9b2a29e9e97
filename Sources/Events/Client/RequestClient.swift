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

    /// Sends the request, under an id of ours if it has none, and waits for its end; throws `Unanswered` after `limit`.
    ///
    /// `progress` is told when the worker has given its receipt.
    public func perform(
        _ request: Request, enclosing enclosures: Enclosures = .none, within limit: Duration,
        progress: @escaping @Sendable () -> Void = {}
    ) async throws -> Outcome {
        let id = request.id ?? .random()
        let request = Request(request.target, id: id, refresh: request.refresh, priority: request.priority)
        let ends = [Topic.request(.done, id), .request(.failed, id)]
        let reader = try await EventReader(
            io, address: events, prefixes: request.target.prefixes + ends.map(\.description))
        let client = try await CommandClient(io, address: commands)
        let outcome: Result<Outcome, any Error>
        do {
            outcome = .success(
                try await withDeadline(limit, orThrow: Unanswered(address: commands)) {
                    try await follow(
                        request.frames(enclosing: enclosures), id, asking: client, hearing: reader, progress)
                })
        } catch {
            outcome = .failure(error)
        }
        await reader.close()
        await client.close()
        return try outcome.get()
    }

    /// Asks once the subscription is in force, and listens until the request has ended.
    private func follow(
        _ frames: RequestFrames, _ id: RequestID, asking client: CommandClient, hearing reader: EventReader,
        _ progress: @Sendable () -> Void
    ) async throws -> Outcome {
        var heard: [Event] = []
        var isAsked = false
        let outcome = try await reader.read { events, isLive -> Outcome? in
            if isLive, !isAsked {
                isAsked = true
                let reply = try await client.ask(frames.topic, frames.body, attaching: frames.images)
                if let failure = reply.failure { return .failed(failure) }
                progress()
            }
            heard += events
            return try Self.end(of: id, in: heard)
        }
        guard let outcome else { throw Unanswered(address: self.events) }
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

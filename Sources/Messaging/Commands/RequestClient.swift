import Concurrency
public import Contract
import JSONCoding
public import ZeroMQ

/// Asks a worker for something and waits until the request has ended, as any client can by the contract.
///
/// A receipt that does not come is asked for again with the same id, and an end that does not come is looked for in the log:
/// a worker that dies in between and comes back costs no more than the time it takes.
public struct RequestClient: Sendable {
    /// How a request ended.
    public enum Outcome: Sendable {
        /// It is done; the events answer it, in the order in which they were published.
        case done(RequestDone, [Event])
        /// It has failed, or was refused.
        case failed(ContractError)
    }

    /// How long an answer may take, its question with pictures among them.
    private static let deadline = Duration.seconds(10)
    /// How long a request may take before its end is looked for in the log, and then again.
    private static let patience = Duration.seconds(3)

    private let io: IOThread
    private let commands: String
    private let events: String

    /// Makes a client of the worker with these addresses.
    public init(_ io: IOThread, commands: String, events: String) {
        self.io = io
        self.commands = commands
        self.events = events
    }

    /// Sends the request, under an id of ours if it has none, and waits for its end; throws `ResponseTimeoutError` after `limit`.
    ///
    /// `progress` is told when the worker has given its receipt.
    public func perform(
        _ request: Request, attaching attachments: Attachments = .none, within limit: Duration,
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
                try await withDeadline(limit, orThrow: ResponseTimeoutError(address: commands)) {
                    try await follow(
                        request.frames(attaching: attachments), id, asking: client, hearing: reader, progress)
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
        var isAccepted = false
        var looked = ContinuousClock.now
        let outcome = try await reader.read { events, isLive -> Outcome? in
            heard += events
            if isLive, !isAccepted,
                let reply = try await ask(client, frames.topic, frames.body, attaching: frames.images)
            {
                if let failure = reply.failure { return .failed(failure) }
                isAccepted = true
                looked = .now
                progress()
            }
            // A heartbeat a second sees to it that this is looked at.
            if isAccepted, ContinuousClock.now - looked > Self.patience {
                for stage in [Topic.RequestStage.done, .failed] {
                    heard += try await logged(.request(stage, id), asking: client)
                }
                looked = .now
            }
            return try await end(of: id, in: heard, asking: client)
        }
        guard let outcome else { throw ResponseTimeoutError(address: self.events) }
        return outcome
    }

    /// The end of a request, if it is among the events that were heard, with the events that answer it.
    private func end(of id: RequestID, in heard: [Event], asking client: CommandClient) async throws -> Outcome? {
        for event in heard {
            switch event.topic {
            case .request(.failed, id):
                return .failed(try event.data(as: RequestFailed.self).error)
            case .request(.done, id):
                let done = try event.data(as: RequestDone.self)
                var answers: [Event] = []
                for answer in done.events {
                    if let event = heard.last(where: { $0.stream == answer.stream && $0.sequence == answer.sequence }) {
                        answers.append(event)
                    } else if let topic = Topic(answer.topic) {
                        answers += try await logged(topic, asking: client)
                    }
                }
                return .done(done, answers)
            default: continue
            }
        }
        return nil
    }

    /// The newest event of a topic in the worker's log; none if there is none, or we may not or cannot look.
    private func logged(_ topic: Topic, asking client: CommandClient) async throws -> [Event] {
        let question = String(decoding: JSON.encodeInfallibly(["topic": "\(topic)"]), as: UTF8.self)
        guard let reply = try await ask(client, "latest", question), reply.word == "events" else { return [] }
        return reply.events.filter { $0.topic == topic }
    }

    /// The reply to a command, or nil if none came in time: then the worker may be away, and is asked again.
    private func ask(
        _ client: CommandClient, _ name: String, _ body: String, attaching frames: [[UInt8]] = []
    ) async throws -> Reply? {
        do {
            return try await withDeadline(Self.deadline, orThrow: ResponseTimeoutError(address: commands)) {
                try await client.ask(name, body, attaching: frames)
            }
        } catch is ResponseTimeoutError {
            return nil
        }
    }
}

import Concurrency
public import Contract
import JSONCoding
public import ZeroMQ

/// Sends requests to a worker and waits for their outcome. A request without a receipt is sent again with the same id, and an
/// outcome that does not arrive is read from the log.
public struct RequestClient: Sendable {
    /// The outcome of a request.
    public enum Outcome: Sendable {
        /// The request is done; the events answer it, in the order in which they were published.
        case done(RequestDone, [Event])
        /// The request has failed or was refused.
        case failed(ContractError)
    }

    /// The time limit for a receipt, which includes sending the request's images.
    private static let replyTimeout = Duration.seconds(10)
    private static let logInterval = Duration.seconds(3)

    private let io: IOThread
    private let commands: [String]
    private let events: [String]

    /// Makes a client of the worker at these addresses, or of several that share a database. Those after the first are
    /// used when it is silent.
    public init(_ io: IOThread, commands: [String], events: [String]) {
        self.io = io
        self.commands = commands
        self.events = events
    }

    /// Sends a request, with a random id if it has none, and waits for its outcome; throws a `ResponseTimeoutError` after
    /// `limit`. Calls `progress` when the worker has accepted the request.
    public func perform(
        _ request: Request, attaching attachments: Attachments = .none, within limit: Duration,
        progress: @escaping @Sendable () -> Void = {}
    ) async throws -> Outcome {
        let id = request.id ?? .random()
        let request = Request(request.target, id: id, refresh: request.refresh, priority: request.priority)
        return try await perform(
            request.frames(attaching: attachments), id: id, answeredOn: request.target.prefixes, within: limit,
            progress: progress)
    }

    /// Sends a command that makes a request of its own with the id in its body, as `poster` does, and waits for that request's
    /// outcome, which is answered on the topics with these prefixes.
    public func perform(
        _ frames: RequestFrames, id: RequestID, answeredOn prefixes: [String], within limit: Duration,
        progress: @escaping @Sendable () -> Void = {}
    ) async throws -> Outcome {
        let outcomes = [Topic.request(.done, id), .request(.failed, id)]
        let reader = try await EventReader(io, addresses: events, prefixes: prefixes + outcomes.map(\.description))
        let client = try await CommandClient(io, addresses: commands)
        let outcome: Result<Outcome, any Error>
        do {
            outcome = .success(
                try await withDeadline(limit, orThrow: ResponseTimeoutError(commands)) {
                    try await follow(frames, id, asking: client, reading: reader, progress)
                })
        } catch {
            outcome = .failure(error)
        }
        await reader.close()
        await client.close()
        return try outcome.get()
    }

    /// Sends the request once the subscription is active, and reads events until the request has an outcome.
    private func follow(
        _ frames: RequestFrames, _ id: RequestID, asking client: CommandClient, reading reader: EventReader,
        _ progress: @Sendable () -> Void
    ) async throws -> Outcome {
        var received: [Event] = []
        var isAccepted = false
        var lastSearch = ContinuousClock.now
        let outcome = try await reader.read { events, isLive -> Outcome? in
            received += events
            if isLive, !isAccepted,
                let reply = try await ask(client, frames.topic, frames.body, attaching: frames.images)
            {
                if let failure = reply.failure { return .failed(failure) }
                isAccepted = true
                lastSearch = .now
                progress()
            }
            // Reached at least once a second, because each heartbeat ends a wait.
            if isAccepted, ContinuousClock.now - lastSearch > Self.logInterval {
                for stage in [Topic.RequestStage.done, .failed] {
                    received += try await logged(.request(stage, id), asking: client)
                }
                lastSearch = .now
            }
            return try await self.outcome(of: id, in: received, asking: client)
        }
        guard let outcome else { throw ResponseTimeoutError(self.events) }
        return outcome
    }

    /// Returns a request's outcome if it is among the received events, with the events that answer it.
    private func outcome(of id: RequestID, in received: [Event], asking client: CommandClient) async throws -> Outcome?
    {
        for event in received {
            switch event.topic {
            case .request(.failed, id):
                return .failed(try event.data(as: RequestFailed.self).error)
            case .request(.done, id):
                let done = try event.data(as: RequestDone.self)
                var answers: [Event] = []
                for answer in done.events {
                    let event = received.last { $0.stream == answer.stream && $0.sequence == answer.sequence }
                    if let event {
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

    /// Returns the newest event of a topic in the worker's log; empty if there is none or the worker refuses.
    private func logged(_ topic: Topic, asking client: CommandClient) async throws -> [Event] {
        let query = String(decoding: JSON.encodeInfallibly(["topic": "\(topic)"]), as: UTF8.self)
        guard let reply = try await ask(client, "latest", query), reply.word == "events" else { return [] }
        return reply.events.filter { $0.topic == topic }
    }

    /// Returns the reply to a command; nil if none came in time, because the worker may be restarting.
    private func ask(
        _ client: CommandClient, _ name: String, _ body: String, attaching frames: [[UInt8]] = []
    ) async throws -> Reply? {
        do {
            return try await client.ask(name, body, attaching: frames, within: Self.replyTimeout)
        } catch is ResponseTimeoutError {
            return nil
        }
    }
}

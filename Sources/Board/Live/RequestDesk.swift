import Events
import FoundationEssentials
import Locking
import Operations
import ZeroMQ

/// Hands what visitors ask for to the worker, as any client would; the answers come as events.
///
/// Each request may cost a call of the day's quota, so all visitors together have a budget: a burst, and some a second.
struct RequestDesk: Sendable {
    /// What visitors may ask for.
    private static let topics: Set<RequestTopic> = [.fetchDay, .fetchWeek, .fetchMovie]
    private static let patience = Duration.seconds(5)

    private let io: IOThread
    private let address: String
    private let wallClock: WallClock
    private let budget: Locked<Budget>

    /// Makes a desk that asks the worker at `address`.
    init(_ io: IOThread, address: String, wallClock: WallClock, clock: some Clock<Duration>) {
        self.io = io
        self.address = address
        self.wallClock = wallClock
        budget = Locked(Budget(clock))
    }

    /// Asks the worker; returns the request's id once the worker has it on disk.
    func ask(_ body: [UInt8]) async throws(Failure) -> RequestID {
        guard let text = String(validating: body, as: UTF8.self), let wish = try? JSON.decode(Wish.self, from: body)
        else { throw Failure(.badRequest, "the body is no JSON object with a topic", field: "body") }
        guard let topic = RequestTopic(text: wish.topic), Self.topics.contains(topic) else {
            throw Failure(.badRequest, "there is no request \(wish.topic.prefix(40).debugDescription)", field: "topic")
        }
        let read = try Request(RequestFrames(topic: topic.rawValue, body: text), at: wallClock.now())
        guard budget.withLock({ $0.take() }) else {
            throw Failure(.overloaded, "the board was asked for too much at once", retryAfter: 5)
        }
        guard let id = RequestID(ReadModel.requestPrefix + RequestID.random().description) else {
            throw Failure(.internal, "a request could not be named")
        }
        let frames = Request(read.target, id: id, refresh: read.refresh).frames
        do {
            let reply = try await reply(to: frames)
            if let failure = reply.failure { throw failure }
            return reply.requestID ?? id
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(.upstreamUnavailable, "the worker does not answer", retryAfter: 10)
        }
    }

    private func reply(to frames: RequestFrames) async throws -> Reply {
        let client = try await CommandClient(io, address: address)
        let outcome: Result<Reply, any Error>
        do {
            outcome = .success(
                try await withDeadline(Self.patience, orThrow: Unanswered(address: address)) {
                    try await client.ask(frames.topic, frames.body)
                })
        } catch {
            outcome = .failure(error)
        }
        await client.close()
        return try outcome.get()
    }
}

private struct Wish: Decodable {
    let topic: String
}

/// A bucket that fills steadily and from which each request takes one.
private struct Budget: Sendable {
    private static let size = 120.0
    private static let perSecond = 4.0

    private let age: Stopwatch
    private var level = Self.size
    private var seen = Duration.zero

    init(_ clock: some Clock<Duration>) {
        age = Stopwatch(clock)
    }

    mutating func take() -> Bool {
        let now = age.elapsed
        level = min(Self.size, level + (now - seen) / .seconds(1) * Self.perSecond)
        seen = now
        guard level >= 1 else { return false }
        level -= 1
        return true
    }
}

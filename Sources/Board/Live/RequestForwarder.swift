import Concurrency
import Contract
import FoundationEssentials
import JSONCoding
import Messaging
import Operations
import ZeroMQ

/// Hands what visitors ask for to the worker, as any client would; the answers come as events.
///
/// Each request may cost a call of the day's quota, so all visitors together have a budget: some a second, and after a pause
/// half a minute's worth at once.
struct RequestForwarder: Sendable {
    /// What visitors may ask for.
    private static let questions: Set<RequestTopic> = [
        .fetchDay, .fetchWeek, .fetchMovie, .fetchProducts, .fetchProduct,
    ]
    /// What only those may who have given the board's password.
    private static let orders: Set<RequestTopic> = [.productRegister, .productModify, .productRemove]
    private static let patience = Duration.seconds(10)

    private let io: IOThread
    private let address: String
    private let wallClock: WallClock
    private let budget: Locked<TokenBucket>
    private let age: Stopwatch

    /// Makes a desk that asks the worker at `address`, so many times a second in the long run.
    init(_ io: IOThread, address: String, perSecond: Int, wallClock: WallClock, clock: some Clock<Duration>) {
        self.io = io
        self.address = address
        self.wallClock = wallClock
        budget = Locked(TokenBucket(capacity: 30 * Double(perSecond), refillPerSecond: Double(perSecond)))
        age = Stopwatch(clock)
    }

    /// Asks the worker; returns the request's id once the worker has it on disk, images and all.
    func ask(_ body: [UInt8], images: [[UInt8]] = [], mayOrder: Bool) async throws(ContractError) -> RequestID {
        guard let wish = try? JSON.decode(ForwardedRequest.self, from: body) else {
            throw ContractError(.badRequest, "the body is no JSON object with a topic", field: "body")
        }
        let topic = RequestTopic(text: wish.topic)
        guard let topic, Self.questions.contains(topic) || Self.orders.contains(topic) else {
            throw ContractError(
                .badRequest, "there is no request \(wish.topic.prefix(40).debugDescription)", field: "topic")
        }
        guard mayOrder || !Self.orders.contains(topic) else {
            throw ContractError(.unauthorized, "this needs the board's password", field: "password")
        }
        let read = try Request(RequestFrames([Array(topic.rawValue.utf8), body] + images), at: wallClock.now())
        guard budget.withLock({ $0.takeToken(at: age.elapsed) }) else {
            throw ContractError(.overloaded, "the board was asked for too much at once", retryAfter: 5)
        }
        guard let id = RequestID(ReadModel.requestPrefix + RequestID.random().description) else {
            throw ContractError(.internal, "a request could not be named")
        }
        // Made anew of what was understood: a secret that came along goes no further.
        let request = Request(read.target, id: id, refresh: read.refresh)
        do {
            let reply = try await reply(to: request.frames(attaching: Attachments(images: images)))
            if let failure = reply.failure { throw failure }
            return reply.requestID ?? id
        } catch let failure as ContractError {
            throw failure
        } catch {
            throw ContractError(.upstreamUnavailable, "the worker does not answer", retryAfter: 10)
        }
    }

    private func reply(to frames: RequestFrames) async throws -> Reply {
        let client = try await CommandClient(io, address: address)
        let outcome: Result<Reply, any Error>
        do {
            outcome = .success(
                try await withDeadline(Self.patience, orThrow: ResponseTimeoutError(address: address)) {
                    try await client.ask(frames.topic, frames.body, attaching: frames.images)
                })
        } catch {
            outcome = .failure(error)
        }
        await client.close()
        return try outcome.get()
    }
}

private struct ForwardedRequest: Decodable {
    let topic: String
}

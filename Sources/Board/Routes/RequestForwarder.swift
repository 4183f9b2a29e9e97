import BoxOffice
import Concurrency
import Contract
import FoundationEssentials
import JSONCoding
import Messaging
import ServiceRuntime
import Text
import ZeroMQ

/// Forwards visitors' requests to the worker, as any client would; the outcomes come as events.
///
/// A request may cost a call of the day's quota, so all visitors share one rate limit: `perSecond` requests a second, and
/// after a pause thirty seconds' worth at once. Those who are not signed in share a number of requests a day, too, so that
/// strangers cannot use the quota up. All but the operator get what the log has if that is fresh: their `refresh` is not passed
/// on, and the worker knows by the ids of their requests that these may not use all of the quota.
///
/// See docs/decisions/strangers-at-the-board.md.
struct RequestForwarder: Sendable {
    /// Topics for every visitor.
    private static let fetchTopics: Set<RequestTopic> = [
        .fetchDay, .fetchWeek, .fetchMovie, .fetchProducts, .fetchProduct,
    ]
    /// Topics for signed-in visitors.
    private static let orderTopics: Set<RequestTopic> = [.productRegister, .productModify, .productRemove]
    private static let timeout = Duration.seconds(10)

    private let io: IOThread
    private let addresses: [String]
    private let wallClock: WallClock
    private let rateLimit: Locked<TokenBucket>
    private let perDay: Int
    private let visitorCount = Locked((day: KoreanDate.firstChart, count: 0))
    private let age: Stopwatch

    init(_ io: IOThread, addresses: [String], perSecond: Int, perDay: Int, runtime: Runtime) {
        self.perDay = perDay
        self.io = io
        self.addresses = addresses
        wallClock = runtime.wallClock
        rateLimit = Locked(TokenBucket(capacity: 30 * Double(perSecond), refillPerSecond: Double(perSecond)))
        age = Stopwatch(runtime.clock)
    }

    /// Forwards a request, and returns its id once the worker has stored it with its images.
    ///
    /// - Parameter body: A JSON object with `topic` and the fields of the request.
    /// - Throws: The error that the worker would give, `unauthorized`, `overloaded` above the rate limit, or
    ///   `internal` if the worker does not answer within ten seconds.
    func forward(
        _ body: [UInt8], images: [[UInt8]] = [], isSignedIn: Bool, isOperator: Bool
    ) async throws(ContractError) -> RequestID {
        let prefix = isOperator ? ReadModel.requestPrefix : RequestID.visitorPrefix
        guard let id = RequestID(prefix + RequestID.random().description) else {
            throw ContractError(.internal, "the board cannot make an id for the request")
        }
        let frames = try frames(of: body, images, as: id, isSignedIn: isSignedIn, isOperator: isOperator)
        guard rateLimit.withLock({ $0.takeToken(at: age.elapsed) }) else {
            throw ContractError(
                .overloaded, "the board's visitors have sent too many requests; try again later", retryAfter: 5)
        }
        guard isSignedIn || takeFromDay() else {
            throw ContractError(
                .overloaded, "the board's visitors have sent as many requests as they may in a day; try again tomorrow",
                retryAfter: 3_600)
        }
        guard let reply = await reply(to: frames) else {
            throw ContractError(.internal, "the worker does not answer; try again later", retryAfter: 10)
        }
        if let failure = reply.failure { throw failure }
        return reply.requestID ?? id
    }

    private func frames(
        of body: [UInt8], _ images: [[UInt8]], as id: RequestID, isSignedIn: Bool, isOperator: Bool
    ) throws(ContractError) -> RequestFrames {
        guard let name = try? JSON.decode(RequestHeader.self, from: body).topic else {
            throw ContractError(.badRequest, "the body must be a JSON object with the field topic", field: "body")
        }
        if name == "poster" {
            guard isOperator else {
                throw ContractError(.unauthorized, "only the operator may replace a poster", field: "password")
            }
            return RequestFrames(topic: name, body: try PosterFields(body, id).text)
        }
        guard let topic = RequestTopic(text: name), Self.fetchTopics.union(Self.orderTopics).contains(topic) else {
            throw ContractError(
                .badRequest, "the board forwards no requests \(name.prefix(bytes: 40).debugDescription)",
                field: "topic")
        }
        guard isSignedIn || !Self.orderTopics.contains(topic) else {
            throw ContractError(.unauthorized, "\(topic.rawValue) needs the board's password", field: "password")
        }
        let parsed = try Request(RequestFrames([Array(topic.rawValue.utf8), body] + images), at: wallClock.now())
        // Encoded again from the fields that were read: a vendor's secret that a visitor added is not forwarded.
        let request = Request(parsed.target, id: id, refresh: parsed.refresh && isOperator)
        return request.frames(attaching: Attachments(images: images))
    }

    /// Counts a request of a visitor who is not signed in; returns false if the day has no more.
    ///
    /// The count begins anew with each day in Korea, as the upstreams' quotas do, and with each start of the board.
    private func takeFromDay() -> Bool {
        let today = KoreanDate(at: wallClock.now())
        return visitorCount.withLock { visitors in
            if visitors.day != today { visitors = (today, 0) }
            guard visitors.count < perDay else { return false }
            visitors.count += 1
            return true
        }
    }

    private func reply(to frames: RequestFrames) async -> Reply? {
        // Visitors are told that the worker does not answer, whatever the error is.
        guard let client = try? await CommandClient(io, addresses: addresses) else { return nil }
        let reply = try? await client.ask(frames.topic, frames.body, attaching: frames.images, within: Self.timeout)
        await client.close()
        return reply
    }
}

private struct RequestHeader: Decodable {
    let topic: String
}

/// The fields of the command `poster` that replace a poster.
private struct PosterFields: Codable {
    var id: String?
    let code: String
    let reject: Bool?
    let url: String?

    init(_ body: [UInt8], _ id: RequestID) throws(ContractError) {
        guard let fields = try? JSON.decode(Self.self, from: body), fields.reject == true || fields.url != nil else {
            throw ContractError(.badRequest, "the body must have code, and reject or url", field: "body")
        }
        self = fields
        self.id = id.description
    }

    var text: String { String(decoding: JSON.encodeInfallibly(self), as: UTF8.self) }
}

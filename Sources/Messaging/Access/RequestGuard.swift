import Concurrency
public import Contract
import ServiceRuntime
public import ZeroMQ

/// Decides for each request and command whether the client may send it: by the roles of its key and by limits on each client.
/// A client is identified by its key. Without encryption, all peers at one IP address count as one client.
public final class RequestGuard: Sendable {
    private enum Reason: String, CaseIterable {
        case role
        case rate
        case queue
        case unread
    }

    /// Bounded because clients without a key choose their addresses.
    private static let bucketLimit = 10_000

    /// The number of unread reply bytes above which a client gets no further page of the log; one that reads each page
    /// before it asks for the next has fewer.
    static let unreadLimit = 16 << 20

    let queueLimit: Int
    private let rate: Double
    private let clients: ClientKeys?
    private let age: Stopwatch
    private let buckets = Locked<[String: TokenBucket]>([:])
    private let refused: [Reason: Counter]
    private let logger: Logger?
    private let refusedCommands: Counter
    private let refusalLogger: RateLimitedLogger?
    private let failureLogger: RateLimitedLogger?

    init(
        _ clients: ClientKeys?, limits: Configuration.ClientLimits, metrics: Metrics, logger: Logger? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.clients = clients
        self.logger = logger
        refusalLogger = logger.map { RateLimitedLogger($0) }
        failureLogger = logger.map { RateLimitedLogger($0) }
        queueLimit = limits.waitingRequests
        rate = Double(limits.requestsPerSecond)
        age = Stopwatch(clock)
        refused = metrics.counters(
            "marquee_client_refusals_total",
            "Requests and commands refused, by reason: a missing role, the client's rate, its queued requests, or its unread replies.",
            for: Reason.allCases
        ) { ["reason": $0.rawValue] }
        refusedCommands = metrics.counter(
            "marquee_commands_refused_total", "Commands, requests included, that were answered with an error.")
    }

    /// Returns a guard that refuses nothing, for tests and tools.
    public static func unrestricted() -> RequestGuard {
        let limits = Configuration.ClientLimits(requestsPerSecond: .max, waitingRequests: .max)
        return RequestGuard(nil, limits: limits, metrics: Metrics())
    }

    /// Returns the client's name if it has a key, and its address otherwise; empty if neither is known.
    public func client(_ sender: PeerIdentity?) -> String {
        sender.map { $0.name ?? $0.address } ?? ""
    }

    /// Counts a command that is answered with an error, and logs it with the key and the address, at most one line a second.
    func recordRefused(_ command: Command, _ reply: Reply) {
        refusedCommands.add()
        let failure = reply.failure
        refusalLogger?.warning(
            "request refused",
            [
                .command: String(command.name.prefix(40)), .key: command.sender?.name,
                .address: command.sender?.address ?? "unknown", .code: failure?.code.rawValue,
                .reason: failure?.message,
            ])
    }

    /// Logs why a command failed, of which the client learns less, at most one line a second.
    func recordFailure(of command: Command, _ error: any Error) {
        failureLogger?.error("a command failed", [.command: command.name, .error: "\(error)"])
    }

    /// Logs who ordered a change in the shop; each order has a line of its own, which the client's share of the queue bounds.
    public func recordAccepted(_ topic: RequestTopic, _ request: RequestID, from sender: PeerIdentity?) {
        guard Role(for: topic.rawValue) == .shop else { return }
        logger?.info(
            "order accepted",
            [.request: request, .topic: topic.rawValue, .key: sender?.name, .address: sender?.address ?? "unknown"])
    }

    /// Logs who gave a command that steers the process; each has a line of its own, which the client's rate bounds.
    func recordAccepted(_ command: Command) {
        guard Role(for: command.name) == .operate else { return }
        let body = command.frames.dropFirst().first.map { String(decoding: $0.prefix(200), as: UTF8.self) }
        logger?.info(
            "command accepted",
            [
                .command: command.name, .text: body ?? "", .key: command.sender?.name,
                .address: command.sender?.address ?? "unknown",
            ])
    }

    /// Returns the refusal of a command or request by rate or role; nil if the client may send it.
    public func refusal(of command: String, from sender: PeerIdentity?) -> ContractError? {
        let client = client(sender)
        guard takeToken(of: client) else {
            refused[.rate]?.add()
            return ContractError(
                .overloaded, "the client sends more than \(Int(rate)) requests a second", retryAfter: 1)
        }
        guard let clients, let role = Role(for: command) else { return nil }
        guard let roles = clients.client(named: client)?.roles, roles.contains(role) else {
            refused[.role]?.add()
            return ContractError(.forbidden, "the client \(client) does not have the role \(role.rawValue)")
        }
        return nil
    }

    /// Returns the refusal of one more request of a client with this many queued requests; nil if it may be queued.
    public func refusal(withQueued waiting: Int) -> ContractError? {
        guard waiting >= queueLimit else { return nil }
        refused[.queue]?.add()
        return ContractError(.overloaded, "\(waiting) requests of the client are queued already", retryAfter: 60)
    }

    /// Returns the refusal of a page of the log to a client with this many unread reply bytes; nil if it may have one.
    func refusal(ofPageWithUnread unread: Int) -> ContractError? {
        guard unread > Self.unreadLimit else { return nil }
        refused[.unread]?.add()
        return ContractError(.overloaded, "the client has not read \(unread) bytes of earlier replies", retryAfter: 1)
    }

    private func takeToken(of client: String) -> Bool {
        let now = age.elapsed
        return buckets.withLock { buckets in
            if buckets.count >= Self.bucketLimit, buckets[client] == nil { buckets = [:] }
            let full = TokenBucket(capacity: 5 * rate, refillPerSecond: rate, at: now)
            return buckets[client, default: full].takeToken(at: now)
        }
    }
}

/// A permission of a client's key, which may have any number of them. Every client may send `status`.
public enum Role: String, Sendable, Hashable, CaseIterable {
    /// Subscribe to events and alerts, and send `latest`.
    case read
    /// Send requests that only fetch data.
    case request
    /// Read the log again with `replay`, as a subscriber does to repair losses.
    case replay
    /// Order changes of the shop's products.
    case shop
    /// Send all other commands, which steer a process: a backfill, dead letters.
    case operate

    init?(for command: String) {
        switch command {
        case "status": return nil
        case "latest": self = .read
        case "replay": self = .replay
        default:
            switch command.prefix(while: { $0 != "." && $0 != " " }) {
            case "fetch": self = .request
            case "product": self = .shop
            default: self = .operate
            }
        }
    }
}

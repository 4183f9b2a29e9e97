import Concurrency
public import Contract
import Operations
public import ZeroMQ

/// Decides, message by message, whether a client may have what it asks for: by the roles of its key, and by how much it asks.
///
/// A client is who its key says; without encryption, everybody at one address is one client.
public final class RequestGuard: Sendable {
    /// What a client is refused for; the raw value is the label of the metric.
    private enum Reason: String, CaseIterable {
        case role
        case rate
        case queue
        case unread
    }

    /// Strangers choose their addresses, so there is an end to how many are remembered.
    private static let rememberedClients = 10_000
    /// For how long a client that was quiet may make up for it.
    private static let burst = 5.0

    /// How many bytes of answers a client may leave unread and still get a page of the log; who reads a page before asking
    /// for the next has at most one.
    static let unreadLimit = 16 << 20

    /// How many requests of one client may wait at once.
    public let queueLimit: Int
    private let rate: Double
    private let clients: ClientKeyStore?
    private let age: Stopwatch
    private let buckets = Locked<[String: TokenBucket]>([:])
    private let refused: [Reason: Counter]

    init(
        _ clients: ClientKeyStore?, limits: Configuration.ClientLimits, metrics: Metrics,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.clients = clients
        queueLimit = limits.waitingRequests
        rate = Double(limits.requestsPerSecond)
        age = Stopwatch(clock)
        refused = metrics.counters(
            "marquee_client_refusals_total",
            "Requests and commands refused for a missing role, or for more a second, in the queue or unread than one client may have.",
            for: Reason.allCases
        ) { ["reason": $0.rawValue] }
    }

    /// A door that refuses nothing, for tests and programs that only look.
    public static func open() -> RequestGuard {
        let limits = Configuration.ClientLimits(requestsPerSecond: .max, waitingRequests: .max)
        return RequestGuard(nil, limits: limits, metrics: Metrics())
    }

    /// Who a sender is to us.
    public func client(_ sender: PeerIdentity?) -> String {
        sender.map { $0.name ?? $0.address } ?? ""
    }

    /// Why a command or request is refused, or nil if it is not.
    public func refusal(of command: String, from sender: PeerIdentity?) -> ContractError? {
        let client = client(sender)
        guard takeToken(of: client) else {
            refused[.rate]?.add()
            return ContractError(.overloaded, "more than \(Int(rate)) requests a second", retryAfter: 1)
        }
        guard let clients, let role = Role(for: command) else { return nil }
        guard let roles = clients.client(named: client)?.roles, roles.contains(role) else {
            refused[.role]?.add()
            return ContractError(.forbidden, "the client \(client) has not the role \(role.rawValue)")
        }
        return nil
    }

    /// The refusal of a client that has so many requests waiting, or nil if there may be one more.
    public func refusal(ofOneMoreThan waiting: Int) -> ContractError? {
        guard waiting >= queueLimit else { return nil }
        refused[.queue]?.add()
        return ContractError(.overloaded, "\(waiting) requests of one client are waiting", retryAfter: 60)
    }

    /// The refusal of a page to a client that has not read so many bytes of earlier answers, or nil if it may have one.
    func refusal(ofAPageOnTopOf unread: Int) -> ContractError? {
        guard unread > Self.unreadLimit else { return nil }
        refused[.unread]?.add()
        return ContractError(.overloaded, "\(unread) bytes of earlier answers have not been read", retryAfter: 1)
    }

    /// Takes one of the requests that a client may send now; it gets `rate` a second.
    private func takeToken(of client: String) -> Bool {
        let now = age.elapsed
        return buckets.withLock { buckets in
            if buckets.count >= Self.rememberedClients, buckets[client] == nil { buckets = [:] }
            let full = TokenBucket(capacity: Self.burst * rate, refillPerSecond: rate, at: now)
            return buckets[client, default: full].takeToken(at: now)
        }
    }
}

import Concurrency
import ServiceRuntime
import WebServer

/// How often each client may ask, so that one of them does not keep out the others.
///
/// A client is an IPv4 address or an IPv6 network of 64 bits. See docs/decisions/strangers-at-the-board.md.
final class VisitorLimits: Sendable {
    /// Seconds of requests that a client may send at once after a pause.
    private static let burst = 20.0

    private let perSecond: Double
    private let age: Stopwatch
    private let buckets = Locked(VisitorTable<TokenBucket>())

    /// Makes the limits.
    ///
    /// - Parameter perSecond: How many requests a second a client may send in the long run.
    init(perSecond: Int, clock: some Clock<Duration>) {
        self.perSecond = Double(perSecond)
        age = Stopwatch(clock)
    }

    /// Counts a request; false if the client has sent too many.
    func admit(_ client: ClientAddress?) -> Bool {
        let now = age.elapsed
        return buckets.withLock { buckets in
            buckets.change(
                client,
                default: TokenBucket(capacity: Self.burst * perSecond, refillPerSecond: perSecond, at: now)
            ) { $0.takeToken(at: now) }
        }
    }
}

/// A value for each client, for a bounded number of clients.
///
/// Once `limit` clients are new, those that were not seen since the last time are forgotten: a client that is forgotten begins
/// anew. So a client with more addresses than that gets more than the limits allow.
struct VisitorTable<Value> {
    /// How many clients are new until others are forgotten; the table has at most twice as many, some 100 bytes each.
    static var limit: Int { 4_096 }

    private var recent: [ClientAddress?: Value] = [:]
    private var older: [ClientAddress?: Value] = [:]

    /// The number of clients.
    var count: Int { recent.count + older.count }

    /// Changes the value of a client's network, and returns what `body` returns.
    mutating func change<Result>(
        _ client: ClientAddress?, default initial: @autoclosure () -> Value, _ body: (inout Value) -> Result
    ) -> Result {
        let key = client?.network
        var value = recent[key] ?? older.removeValue(forKey: key) ?? initial()
        defer {
            if recent[key] == nil, recent.count >= Self.limit { (older, recent) = (recent, [:]) }
            recent[key] = value
        }
        return body(&value)
    }

    /// Forgets a client.
    mutating func remove(_ client: ClientAddress?) {
        recent[client?.network] = nil
        older[client?.network] = nil
    }
}

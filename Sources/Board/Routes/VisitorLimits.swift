import Concurrency
import ServiceRuntime
import WebServer

/// How often each client may ask, so that one of them does not keep out the others.
///
/// A client is an IPv4 address or an IPv6 network of 64 bits. See docs/decisions/strangers-at-the-board.md.
final class VisitorLimits: Sendable {
    private struct State {
        var recent: [ClientAddress?: TokenBucket] = [:]
        var older: [ClientAddress?: TokenBucket] = [:]
    }

    /// Seconds of requests that a client may send at once after a pause.
    static let burstSeconds = 20
    /// How many clients are new until those that were not seen since the last time are forgotten, and begin anew. So a
    /// client with more addresses than that gets more than its limit. There are at most twice as many, some 100 bytes each.
    static let clientLimit = 4_096

    private let burst: Double
    private let perSecond: Double
    private let age: Stopwatch
    private let state = Locked(State())

    /// Lets each client send `burst` requests at once after a pause, and `perSecond` in the long run.
    init(burst: Int, perSecond: Double, clock: some Clock<Duration>) {
        self.burst = Double(burst)
        self.perSecond = perSecond
        age = Stopwatch(clock)
    }

    var clientCount: Int { state.withLock { $0.recent.count + $0.older.count } }

    /// Counts a request; false if the client has sent too many.
    func admit(_ client: ClientAddress?) -> Bool {
        let (network, now) = (client?.network, age.elapsed)
        return state.withLock { state in
            var bucket =
                state.recent[network] ?? state.older.removeValue(forKey: network)
                ?? TokenBucket(capacity: burst, refillPerSecond: perSecond, at: now)
            defer {
                if state.recent[network] == nil, state.recent.count >= Self.clientLimit {
                    state = State(older: state.recent)
                }
                state.recent[network] = bucket
            }
            return bucket.takeToken(at: now)
        }
    }

    func forget(_ client: ClientAddress?) {
        state.withLock { state in
            state.recent[client?.network] = nil
            state.older[client?.network] = nil
        }
    }
}

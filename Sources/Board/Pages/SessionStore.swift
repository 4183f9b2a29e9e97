import Concurrency
import Contract
import FoundationEssentials
import Networking
import Operations

/// Who may write: whoever has given the board's password, for twelve hours or until the board is restarted.
///
/// Attempts have a budget that all visitors share, because behind a proxy all have one address: ten, and one more every
/// six seconds. What is compared, and what is remembered of a session, are digests.
final class SessionStore: Sendable {
    private struct State {
        var attempts = TokenBucket(capacity: 10, refillPerSecond: 1.0 / 6)
        /// By the digests of their tokens, when they began.
        var open: [String: Stopwatch] = [:]
    }

    /// How long a session lasts.
    static let length = Duration.seconds(12 * 3_600)
    /// How many there may be; the oldest makes room.
    private static let limit = 50

    private let password: String?
    private let clock: any Clock<Duration>
    private let age: Stopwatch
    private let state = Locked(State())

    /// Lets those in who know the password; nobody where there is none.
    init(password: Secret?, clock: some Clock<Duration>) {
        self.password = password.map { Self.digest($0.value) }
        self.clock = clock
        age = Stopwatch(clock)
    }

    /// Whether the operator lets anybody write.
    var isPossible: Bool { password != nil }

    /// Begins a session, and returns its token.
    func begin(with attempt: String) throws(ContractError) -> String {
        guard let password else { throw ContractError(.notFound, "nobody can write on this board") }
        guard state.withLock({ $0.attempts.takeToken(at: age.elapsed) }) else {
            throw ContractError(.overloaded, "too many passwords were tried", retryAfter: 6)
        }
        guard Self.areEqual(Self.digest(attempt), password) else {
            throw ContractError(.unauthorized, "this is not the board's password", field: "password")
        }
        var generator = SystemRandomNumberGenerator()
        let token = (0..<4).map { _ in String(generator.next(), radix: 36) }.joined(separator: "-")
        let began = Stopwatch(clock)
        state.withLock { state in
            state.open = state.open.filter { $0.value.elapsed < Self.length }
            let oldest = state.open.max { $0.value.elapsed < $1.value.elapsed }
            if state.open.count >= Self.limit, let oldest { state.open[oldest.key] = nil }
            state.open[Self.digest(token)] = began
        }
        return token
    }

    /// Whether a session with this token is open.
    func holds(_ token: String?) -> Bool {
        guard let token else { return false }
        let began = state.withLock { $0.open[Self.digest(token)] }
        return began.map { $0.elapsed < Self.length } ?? false
    }

    /// Ends a session.
    func end(_ token: String?) {
        guard let token else { return }
        state.withLock { $0.open[Self.digest(token)] = nil }
    }

    private static func digest(_ text: String) -> String {
        SHA256.hexDigest(of: Array(text.utf8))
    }

    /// Takes the same time wherever the two differ.
    private static func areEqual(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count && zip(one.utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

import Concurrency
import Contract
import Crypto
import FoundationEssentials
import ServiceRuntime
import Text
import WebServer

/// The sessions of visitors who gave the board's password; each lasts twelve hours, or until the board restarts.
///
/// Each client may send ten wrong passwords at once, and one more every six seconds; then none that it sends counts, the right
/// one included. Other clients are not affected. The store compares and keeps only digests of passwords and tokens.
final class BoardSessions: Sendable {
    static let lifetime = Duration.seconds(12 * 3_600)
    /// How many sessions may be open. One more ends the oldest.
    private static let limit = 50

    private let password: String?
    private let clock: any Clock<Duration>
    /// How many wrong passwords each client may send.
    private let attempts: VisitorLimits
    /// The ages of the open sessions, by the digests of their tokens.
    private let ages = Locked<[String: Stopwatch]>([:])

    /// Makes a store without sessions; without a password nobody can sign in.
    init(password: Secret?, clock: some Clock<Duration>) {
        self.password = password.map { Self.digest($0.value) }
        self.clock = clock
        attempts = VisitorLimits(burst: 10, perSecond: 1.0 / 6, clock: clock)
    }

    /// Whether the operator has set a password.
    var isEnabled: Bool { password != nil }

    /// Begins a session, and returns its token.
    ///
    /// - Throws: `notFound` if the board has no password, `overloaded` after too many attempts, `unauthorized` if the
    ///   password is wrong.
    func begin(password attempt: String, from client: ClientAddress?) throws(ContractError) -> String {
        guard let password else {
            throw ContractError(.notFound, "nobody can sign in: the operator has set no password for the board")
        }
        // Taken before the comparison, so that attempts at the same time count, too.
        guard attempts.admit(client) else {
            throw ContractError(
                .overloaded, "too many wrong passwords came from this address; try again later", retryAfter: 6)
        }
        guard Self.areEqual(Self.digest(attempt), password) else {
            throw ContractError(.unauthorized, "the password is wrong", field: "password")
        }
        var generator = SystemRandomNumberGenerator()
        let token = (0..<4).map { _ in String(generator.next(), radix: 36) }.joined(separator: "-")
        let sessionAge = Stopwatch(clock)
        attempts.forget(client)
        ages.withLock { ages in
            ages = ages.filter { $0.value.elapsed < Self.lifetime }
            let oldest = ages.max { $0.value.elapsed < $1.value.elapsed }
            if ages.count >= Self.limit, let oldest { ages[oldest.key] = nil }
            ages[Self.digest(token)] = sessionAge
        }
        return token
    }

    func isOpen(_ token: String?) -> Bool {
        guard let token else { return false }
        let sessionAge = ages.withLock { $0[Self.digest(token)] }
        return sessionAge.map { $0.elapsed < Self.lifetime } ?? false
    }

    func end(_ token: String?) {
        guard let token else { return }
        ages.withLock { $0[Self.digest(token)] = nil }
    }

    private static func digest(_ text: String) -> String {
        SHA256.hexDigest(of: Array(text.utf8))
    }

    // In constant time, so that the time of an answer says nothing about the password.
    private static func areEqual(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count && zip(one.utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// The cookie that holds a session's token. No script can read it, and only the board's own pages send it.
///
/// Where visitors reach the board by HTTPS, the cookie's name makes browsers refuse one that was set without it: `__Host-`,
/// or `__Secure-` for a board below another site, because `__Host-` allows no path but the root.
struct SessionCookie {
    let basePath: BasePath
    /// Whether visitors reach the board by HTTPS, whatever a request says.
    let isSecure: Bool

    private var name: String {
        guard isSecure else { return "marquee-session" }
        return (basePath == .root ? "__Host-" : "__Secure-") + "marquee-session"
    }

    func token(of request: WebRequest) -> String? {
        for part in (request.header("Cookie") ?? "").parts(between: ";") {
            let pair = part.drop { $0 == " " }
            if pair.hasPrefix("\(name)=") { return String(pair.dropFirst(name.count + 1)) }
        }
        return nil
    }

    /// Returns the header that sets the cookie, or deletes it if `token` is nil. It is for HTTPS only where that is known.
    func header(_ token: String?, for request: WebRequest) -> (name: String, value: String) {
        let maxAge = token == nil ? 0 : BoardSessions.lifetime.components.seconds
        let secure = isSecure || request.header("X-Forwarded-Proto") == "https" ? "; Secure" : ""
        return (
            "Set-Cookie",
            "\(name)=\(token ?? ""); Path=\(basePath); Max-Age=\(maxAge); HttpOnly; SameSite=Strict\(secure)"
        )
    }
}

public import FoundationEssentials
import WebServer

/// An HTTP server that plays KOBIS, Kakao and the Open Market, for machines without keys and for tests: the same paths, parameters, key
/// checks, faults and quirks, and failures to order.
///
/// It does not play what no client of ours calls: XML, SOAP, people and companies, movie lists.
public final class SandboxServer: Sendable {
    private let server: HTTPServer
    private let stopped: AsyncStream<Never>
    private let ending: AsyncStream<Never>.Continuation

    /// Where the sandbox listens, with the real port.
    public var address: String { server.address }

    /// Where a sandbox's KOBIS calls are, after its address.
    public static let kobisPath = KobisHandler.prefix

    /// The base of its KOBIS calls, for `MARQUEE_KOBIS_URL`.
    public var kobisURL: String { "http://\(address)\(KobisHandler.prefix)" }

    /// The base of its Kakao calls, for `MARQUEE_KAKAO_URL`.
    public var kakaoURL: String { "http://\(address)" }

    /// The base of the Open Market in its third generation, for `MARQUEE_OPENMARKET_URL`.
    public var openMarketURL: String { "http://\(address)\(Self.openMarketPath)" }

    /// Where the third generation is, after a sandbox's address; the fourth ends in `v4`.
    public static let openMarketPath = "\(OpenMarketHandler.prefix)/v3"

    /// Listens and serves at once; `now` tells which day is yesterday and which figures are settled.
    public init(
        options: SandboxOptions, now: @escaping @Sendable () -> Date = { Date() }
    ) throws(SandboxError) {
        let reception = try SandboxRouter(options: options, now: now)
        (stopped, ending) = AsyncStream.makeStream(of: Never.self)
        do {
            var limits = HTTPServer.Limits()
            // A registration has five pictures of 300 KB.
            limits.body = 2 << 20
            // Who measures has some hundred calls under way at once, all from one address.
            (limits.connections, limits.connectionsPerAddress, limits.waitingConnections) = (1_024, 1_000, 768)
            server = try HTTPServer(address: options.address, limits: limits) { request in
                await reception.answer(request)
            }
        } catch {
            throw .server(error)
        }
    }

    /// Serves until the task is cancelled, or `stop` or `shutdown` is called, and then ends as `shutdown` does.
    public func run() async {
        for await _ in stopped {}
        await shutdown()
    }

    /// Asks for a graceful end; may return before `run` does.
    public func stop() async {
        ending.finish()
    }

    /// Ends: what is being answered has a moment to finish, what hangs is cut. May be called again.
    public func shutdown() async {
        ending.finish()
        await server.shutdown(grace: .milliseconds(250))
    }
}

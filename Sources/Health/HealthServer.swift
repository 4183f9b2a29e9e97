public import Operations
import WebServer

/// The pages on which a process tells how it is: `/healthz` whether it lives, `/readyz` whether it can do its job,
/// and `/metrics`.
///
/// `/healthz` and `/readyz` answer 200 and `ok`, or 503 and one reason a line.
public struct HealthServer: Service {
    private let server: WebServer
    private let stopped: AsyncStream<Never>
    private let ending: AsyncStream<Never>.Continuation

    /// Where it listens, with the real port.
    public var address: String { server.address }

    /// Listens and serves at once; throws if the address cannot be had.
    ///
    /// What makes the process ready is among the metrics too, as `marquee_ready`.
    public init(
        address: HTTPAddress, metrics: Metrics, livesIf alive: [HealthCheck], isReadyIf ready: [HealthCheck]
    ) throws {
        metrics.gauges("marquee_ready", "Whether what the process needs for its job is there: 1 or 0.", by: "check") {
            Dictionary(uniqueKeysWithValues: await ready.reasons().map { ($0.check.name, $0.reason == nil ? 1 : 0) })
        }
        (stopped, ending) = AsyncStream.makeStream(of: Never.self)
        server = try WebServer(address: address.description) { request in
            switch request.path {
            case "/healthz" where request.isGet: await .health(alive)
            case "/readyz" where request.isGet: await .health(ready)
            case "/metrics" where request.isGet: .metrics(await metrics.text())
            case "/healthz", "/readyz", "/metrics": .onlyGet
            default: .text("there are /healthz, /readyz and /metrics\n", status: 404)
            }
        }
    }

    /// Serves until it is stopped.
    public func run() async throws {
        for await _ in stopped {}
        await server.shutdown(grace: .milliseconds(250))
    }

    /// Asks for the end; answers under way have a moment to finish.
    public func stop() async {
        ending.finish()
    }
}

extension WebRequest {
    fileprivate var isGet: Bool { method == "GET" }
}

extension WebResponse {
    fileprivate static let onlyGet = WebResponse(
        status: 405, contentType: "text/plain;charset=UTF-8", headers: [("Allow", "GET, HEAD")],
        body: .bytes(Array("only GET and HEAD\n".utf8)))

    fileprivate static func health(_ checks: [HealthCheck]) async -> WebResponse {
        let reasons = await checks.reasons().compactMap(\.reason)
        guard !reasons.isEmpty else { return .text("ok\n") }
        return .text(reasons.map { $0 + "\n" }.joined(), status: 503)
    }

    fileprivate static func metrics(_ text: String) -> WebResponse {
        WebResponse(contentType: "text/plain; version=0.0.4; charset=utf-8", body: .bytes(Array(text.utf8)))
    }
}

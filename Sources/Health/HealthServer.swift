public import Operations
import WebServer

/// The pages on which a process tells how it is: `/healthz` whether it lives, `/readyz` whether it can do its job,
/// and `/metrics`.
///
/// `/healthz` and `/readyz` answer 200 and `ok`, or 503 and one reason a line.
public struct HealthServer: Service {
    private let server: HTTPServer
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
        let pages = HealthPages(metrics: metrics, livesIf: alive, isReadyIf: ready)
        (stopped, ending) = AsyncStream.makeStream(of: Never.self)
        server = try HTTPServer(address: address.description) { request in
            guard let page = await pages.page(String(request.path.dropFirst())) else {
                return .text("there are /healthz, /readyz and /metrics\n", status: 404)
            }
            return request.method == "GET" ? page : .onlyGet
        }
        metrics.addWebServer(server)
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

extension WebResponse {
    fileprivate static let onlyGet = WebResponse(
        status: 405, contentType: "text/plain;charset=UTF-8", headers: [("Allow", "GET, HEAD")],
        body: .bytes(Array("only GET and HEAD\n".utf8)))
}

import Concurrency
public import ServiceRuntime
public import WebServer

/// The pages `healthz`, `readyz` and `metrics`, for a process that has an HTTP server of its own.
///
/// `healthz` and `readyz` answer 200 and `ok`, or 503 and one line for each failed check. `metrics` has the metrics in
/// Prometheus's text format.
public struct HealthPages: Sendable {
    /// The paths of the pages that answer whoever asks, because they tell only the state.
    public static let openPaths: Set = ["/healthz", "/readyz"]

    private let metrics: Metrics
    private let liveness: [HealthCheck]
    private let readiness: [HealthCheck]

    /// Makes the pages, and adds the readiness checks to `metrics` as `marquee_ready`.
    ///
    /// If one of `liveness` fails, the process must be restarted. The names of `readiness` must differ.
    public init(metrics: Metrics, liveness: [HealthCheck], readiness: [HealthCheck]) {
        metrics.gauges(
            "marquee_ready", "1 if what the process needs for its job is available, by check; otherwise 0.", by: "check"
        ) {
            Dictionary(
                uniqueKeysWithValues: await readiness.failureReasons().map {
                    ($0.check.name, $0.reason == nil ? 1 : 0)
                })
        }
        self.metrics = metrics
        self.liveness = liveness
        self.readiness = readiness
    }

    /// Answers a request for one of the pages; returns nil for another path.
    ///
    /// A load balancer may ask with `OPTIONS`, which gets the status that `GET` would get. HAProxy's default path is `/`,
    /// which then stands for `healthz`.
    public func response(to request: WebRequest) async -> WebResponse? {
        var page: WebResponse
        switch (request.path, request.method) {
        case ("/healthz", _), ("/", "OPTIONS"): page = await .health(liveness)
        case ("/readyz", _): page = await .health(readiness)
        case ("/metrics", _):
            page = WebResponse(
                contentType: "text/plain; version=0.0.4; charset=utf-8", body: .bytes(Array(await metrics.text().utf8)))
        default: return nil
        }
        switch request.method {
        case "GET": break
        case "OPTIONS":
            page.headers.append(("Allow", Self.allowedMethods))
            page.body = .bytes([])
        default:
            page = .text("this address allows only \(Self.allowedMethods)\n", status: 405)
            page.headers.append(("Allow", Self.allowedMethods))
        }
        return page
    }

    private static let allowedMethods = "GET, HEAD, OPTIONS"
}

/// An HTTP server for ``HealthPages`` alone.
public struct HealthServer: Service {
    private let server: HTTPServer
    private let end = WakeSignal()

    /// The host and port on which the server listens.
    public var address: String { server.address }

    /// Listens, and answers from then on.
    ///
    /// `hosts` are the names to which `metrics` answers beside IP addresses and `localhost`; the rest is as in ``HealthPages``.
    public init(
        address: HTTPAddress, hosts: [String] = [], metrics: Metrics, liveness: [HealthCheck], readiness: [HealthCheck]
    ) throws {
        try self.init(
            address: address, hosts: hosts,
            pages: HealthPages(metrics: metrics, liveness: liveness, readiness: readiness))
        metrics.addWebServer(server)
    }

    /// Listens, and answers from then on, with pages that another server may have, too; adds no metrics.
    public init(address: HTTPAddress, hosts: [String] = [], pages: HealthPages) throws {
        server = try HTTPServer(
            address: address.description, hosts: HostPolicy(names: hosts, openPaths: HealthPages.openPaths)
        ) { request in
            await pages.response(to: request)
                ?? .text("there is no such page; see /healthz, /readyz or /metrics\n", status: 404)
        }
    }

    /// Serves until ``stop()`` is called; then closes the server.
    public func run() async throws {
        await end.waitForStop()
        await server.shutdown(grace: .milliseconds(250))
    }

    /// Lets ``run()`` end; answers under way have 250 ms to finish.
    public func stop() async {
        end.stop()
    }
}

extension WebResponse {
    fileprivate static func health(_ checks: [HealthCheck]) async -> WebResponse {
        let reasons = await checks.failureReasons().compactMap(\.reason)
        guard !reasons.isEmpty else { return .text("ok\n") }
        return .text(reasons.map { $0 + "\n" }.joined(), status: 503)
    }
}

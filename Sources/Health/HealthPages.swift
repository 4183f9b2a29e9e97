public import Operations
public import WebServer

/// What a process says of how it is: `healthz` whether it lives, `readyz` whether it can do its job, and `metrics`.
public struct HealthPages: Sendable {
    private let metrics: Metrics
    private let alive: [HealthCheck]
    private let ready: [HealthCheck]

    /// Makes the pages; what makes the process ready is among the metrics too, as `marquee_ready`.
    public init(metrics: Metrics, livesIf alive: [HealthCheck], isReadyIf ready: [HealthCheck]) {
        metrics.gauges("marquee_ready", "Whether what the process needs for its job is there: 1 or 0.", by: "check") {
            Dictionary(uniqueKeysWithValues: await ready.reasons().map { ($0.check.name, $0.reason == nil ? 1 : 0) })
        }
        self.metrics = metrics
        self.alive = alive
        self.ready = ready
    }

    /// The page of that name, nil if there is none; `healthz` and `readyz` are 200 and `ok`, or 503 and one reason a line.
    public func page(_ name: String) async -> WebResponse? {
        switch name {
        case "healthz": await .health(alive)
        case "readyz": await .health(ready)
        case "metrics": .metrics(await metrics.text())
        default: nil
        }
    }
}

extension WebResponse {
    fileprivate static func health(_ checks: [HealthCheck]) async -> WebResponse {
        let reasons = await checks.reasons().compactMap(\.reason)
        guard !reasons.isEmpty else { return .text("ok\n") }
        return .text(reasons.map { $0 + "\n" }.joined(), status: 503)
    }

    fileprivate static func metrics(_ text: String) -> WebResponse {
        WebResponse(contentType: "text/plain; version=0.0.4; charset=utf-8", body: .bytes(Array(text.utf8)))
    }
}

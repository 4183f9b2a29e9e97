public import Operations
public import WebServer

extension Metrics {
    /// Adds what the process's HTTP server has done.
    public func addWebServer(_ server: HTTPServer) {
        gauge("marquee_http_connections", "HTTP connections that are open now.") { Double(server.counters.connections) }
        counter("marquee_http_requests_total", "HTTP requests that came whole.") { Double(server.counters.requests) }
        counters(
            "marquee_http_refused_total",
            "HTTP requests that cannot be read, and connections cut: late ones, and those that waited longest of too many.",
            by: "reason"
        ) {
            let counters = server.counters
            return [
                "malformed": Double(counters.malformed), "late": Double(counters.late),
                "crowded": Double(counters.crowded),
            ]
        }
    }
}

import Networking
import ServiceRuntime
import Testing

@testable import Health

/// A health server on a free port, and an HTTP client for it.
struct HealthServerHarness {
    let server: HealthServer
    private let client = HTTPClient(retry: RetryPolicy(attempts: 1, attemptTimeout: .seconds(3_600)))

    init(
        address: String = "127.0.0.1:0", metrics: Metrics = Metrics(), liveness: [HealthCheck] = [],
        readiness: [HealthCheck] = []
    ) throws {
        let address = try #require(HTTPAddress(address))
        server = try HealthServer(address: address, metrics: metrics, liveness: liveness, readiness: readiness)
    }

    /// Sends a request, and returns the response whatever its status is.
    func get(
        _ path: String, method: HTTPRequest.Method = .get, headers: [HTTPField] = []
    ) async throws -> HTTPResponse {
        let request = HTTPRequest(
            "http://\(server.address)\(path)", method: method, headers: headers, deadline: .seconds(3_600))
        return try await client.send(APICall(service: "health", request: request) { $0 })
    }

    /// Stops the server and the client.
    func stop() async throws {
        await server.stop()
        try await server.run()
        await client.shutdown()
    }
}

extension HTTPResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}

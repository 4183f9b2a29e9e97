import Foundation
import Networking
import Testing

/// An HTTP client of a board's API.
struct BoardClient: Sendable {
    let address: String
    /// Headers of every request.
    var headers: [HTTPField] = []

    /// Sends a request once, and returns the response whatever its status is.
    func get(
        _ path: String, _ method: HTTPRequest.Method = .get, headers: [HTTPField] = [], body: [UInt8]? = nil
    ) async throws -> HTTPResponse {
        let client = HTTPClient(retry: RetryPolicy(attempts: 1, attemptTimeout: .seconds(3_600)))
        let request = HTTPRequest(
            "http://\(address)\(path)", method: method, headers: self.headers + headers, body: body.map { Data($0) },
            deadline: .seconds(3_600))
        let response = try await client.send(
            APICall<HTTPResponse>(service: "board", request: request) { $0 })
        await client.shutdown()
        return response
    }

    /// Returns the JSON object at an address below `api/v1/`.
    func json(_ path: String) async throws -> [String: Any] {
        let response = try await get("/api/v1/\(path)")
        return try #require(try JSONSerialization.jsonObject(with: response.body) as? [String: Any])
    }

    /// Posts JSON to an address below `api/v1/`.
    func post(_ path: String, _ json: String, headers: [HTTPField] = []) async throws -> HTTPResponse {
        try await get(
            "/api/v1/\(path)", .post, headers: [HTTPField("Content-Type", "application/json")] + headers,
            body: Array(json.utf8))
    }

    /// Posts a request with images.
    func order(_ json: String, images: [[UInt8]]) async throws -> HTTPResponse {
        var body: [UInt8] = []
        for frame in [Array(json.utf8)] + images {
            body += withUnsafeBytes(of: UInt32(frame.count).bigEndian, Array.init) + frame
        }
        return try await get(
            "/api/v1/requests", .post, headers: [HTTPField("Content-Type", "application/vnd.marquee.frames")],
            body: body)
    }
}

extension HTTPResponse {
    /// Code and field of the contract's error object in the body.
    var failure: (code: String?, field: String?) {
        get throws {
            let object = try JSONSerialization.jsonObject(with: body) as? [String: Any]
            return (object?["code"] as? String, object?["field"] as? String)
        }
    }
}

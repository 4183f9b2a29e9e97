import Contract
import JSONCoding
import Operations
import WebServer

/// The processes: how all are, and the live news.
extension API {
    func status(_ request: WebRequest) async throws -> WebResponse {
        let board = BoardStatus(version: version, browsers: hub.count, news: hub.sent)
        let troubles = try await model.troubles(limit: 20)
        let status = JSONObject([
            ("processes", await statuses.statuses()), ("board", try JSON.encode(board)),
            ("failures", troubles.failures), ("anomalies", troubles.anomalies),
        ])
        return CacheableBody(status.bytes, contentType: .json).response(to: request)
    }

    func live(_ request: WebRequest) throws -> WebResponse {
        guard let body = hub.watch(after: request.header("Last-Event-ID") ?? request.query("after")) else {
            throw ContractError(.overloaded, "too many browsers watch already", retryAfter: 30)
        }
        return WebResponse(
            contentType: "text/event-stream;charset=UTF-8",
            headers: [("Cache-Control", "no-store"), ("X-Accel-Buffering", "no")], body: .streaming(body))
    }
}

private struct BoardStatus: Encodable {
    let version: String
    let browsers: Int
    let news: Int
}

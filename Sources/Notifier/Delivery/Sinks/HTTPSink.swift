import FoundationEssentials
import Networking

/// A sink that is reached by HTTP.
protocol HTTPSink: Sink {
    /// What sends its requests.
    var client: HTTPClient { get }

    /// The request that hands a letter over.
    func request(for letter: SinkMessage, at now: Date) throws -> HTTPRequest

    /// What an answer means.
    func judge(_ response: HTTPResponse) -> SinkResponse.Outcome
}

extension HTTPSink {
    func send(_ letter: SinkMessage, at now: Date) async -> SinkResponse {
        do {
            let endpoint = Endpoint<HTTPResponse>(service: "sink", request: try request(for: letter, at: now)) {
                response throws(UpstreamError) in response
            }
            let response = try await client.send(endpoint)
            let body = String(decoding: response.body.prefix(2_000), as: UTF8.self)
            return SinkResponse(
                verdict: judge(response), text: body.isEmpty ? "\(response.status)" : "\(response.status) \(body)")
        } catch let error as UpstreamError {
            // An address that makes no sense makes none later.
            return SinkResponse(verdict: error.kind == .badRequest ? .refused : .failed(), text: error.message)
        } catch {
            return SinkResponse(verdict: .refused, text: "\(error)")
        }
    }

    func judge(_ response: HTTPResponse) -> SinkResponse.Outcome {
        response.verdict
    }
}

extension HTTPResponse {
    /// What the status alone says. A redirect is a refusal: the address is to be put right, where it can be looked at.
    var verdict: SinkResponse.Outcome {
        switch status {
        case 200...299: .taken
        case 408, 425, 429, 500...599: .failed(retryAfter: retryAfter)
        default: .refused
        }
    }
}

extension HTTPRequest {
    /// A request of a sink: posted once, followed nowhere.
    static func post(
        _ url: String, secrets: [String], headers: [HTTPField] = [], type: String = "application/json",
        body: [UInt8]
    ) -> HTTPRequest {
        HTTPRequest(
            url, secrets: secrets, method: .post, headers: [HTTPField("Content-Type", type)] + headers,
            body: Data(body), deadline: .seconds(30), responseLimit: 1 << 20)
    }

    /// The parts of an address in which a token may stand: all of it, and what follows the host.
    static func secrets(of url: String) -> [String] {
        let path = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).dropFirst(3).first
        return [url] + (path.map { $0.isEmpty ? [] : [String($0)] } ?? [])
    }
}

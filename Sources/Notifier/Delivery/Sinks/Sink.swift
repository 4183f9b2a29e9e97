import FoundationEssentials
import JSONCoding
import Networking
import Text

/// A kind of sink, and one destination of that kind. ``ConfiguredSink/kinds`` lists the kinds.
protocol Sink: Sendable {
    static var kind: String { get }
    /// The keys in rule files that only this kind takes.
    static var keys: [String] { get }

    /// Reads the destination; returns nil if it cannot be read, for the reasons that are added to `fields`.
    init?(_ fields: inout SinkFields)

    /// Returns where messages go, without the parts of URLs that may have a token.
    func address(in language: Language) -> String

    /// Sends a message once. Returns within a minute, and at once when the task is cancelled.
    func send(_ message: SinkMessage, at now: Date, by clients: SinkClients) async -> SinkResponse
}

/// The clients that sinks send with. They retry nothing: the outbox does, and its retries outlive the process.
struct SinkClients: Sendable {
    let http: HTTPClient
    let mail = MailClient()

    init() {
        var retry = RetryPolicy.never
        retry.attemptTimeout = .seconds(30)
        // Each sink can have its own connection, so that none waits for another one on the same host.
        http = HTTPClient(limits: HTTPClient.Limits(perHost: 1_000, total: 1_000), retry: retry)
    }

    func shutdown() async {
        await http.shutdown()
        await mail.shutdown()
    }
}

struct SinkResponse: Hashable, Sendable {
    enum Outcome: Hashable, Sendable {
        case delivered
        /// The destination would reject the message again.
        case rejected
        /// A later attempt may succeed, after the pause that the destination asks for.
        case failed(retryAfter: Duration? = nil)
    }

    let outcome: Outcome
    /// The response, or the reason why there is none, for people.
    var text: String
    /// The recipients that accepted a message that others rejected.
    var acceptedBy: [String] = []

    /// Returns the response with its text on one line of at most 500 characters, without the secrets.
    func sanitized(removing secrets: [String]) -> SinkResponse {
        let line = Redactor(secrets).redact(text).onOneLine
        var response = self
        response.text = line.count > 500 ? line.prefix(500) + "…" : line
        return response
    }
}

// MARK: - HTTP

/// A sink that delivers a message with one HTTP request.
protocol HTTPSink: Sink {
    var url: String { get }

    func request(for message: SinkMessage, at now: Date) -> HTTPRequest

    func outcome(of response: HTTPResponse) -> SinkResponse.Outcome
}

extension HTTPSink {
    func address(in language: Language) -> String { url.server }

    func send(_ message: SinkMessage, at now: Date, by clients: SinkClients) async -> SinkResponse {
        let (status, response) = await attempt(message, at: now, by: clients.http)
        // Some services fetch the image themselves, and refuse the whole message if they cannot: a message does not depend
        // on its poster. What was refused was not delivered, so nothing arrives twice.
        guard response.outcome == .rejected, let status, [400, 413, 422].contains(status),
            message.alerts.contains(where: { $0.poster != nil })
        else { return response }
        var message = message
        for index in message.alerts.indices { message.alerts[index].poster = nil }
        let plain = await attempt(message, at: now, by: clients.http).response
        guard plain.outcome == .delivered else { return plain }
        return SinkResponse(outcome: .delivered, text: "\(plain.text), without the poster (\(response.text))")
    }

    private func attempt(
        _ message: SinkMessage, at now: Date, by client: HTTPClient
    ) async -> (status: Int?, response: SinkResponse) {
        do throws(UpstreamError) {
            let response = try await client.send(
                APICall(service: "sink", request: request(for: message, at: now)) { $0 })
            let body = String(decoding: response.body.prefix(2_000), as: UTF8.self)
            let advice = response.redirect.map { " redirects to \($0): correct the sink's address" } ?? ""
            let text = "\(response.status)\(advice)\(body.isEmpty ? "" : " \(body)")"
            return (response.status, SinkResponse(outcome: outcome(of: response), text: text))
        } catch {
            return (nil, SinkResponse(outcome: error.outcome, text: error.message))
        }
    }

    func outcome(of response: HTTPResponse) -> SinkResponse.Outcome {
        response.outcome
    }
}

extension HTTPResponse {
    /// The outcome by the status alone. A redirect rejects the message: the operator has to correct the URL.
    var outcome: SinkResponse.Outcome {
        guard let failure = failure(of: "sink") else { return .delivered }
        return failure.isTransient ? .failed(retryAfter: retryAfter) : .rejected
    }

    /// The outcome for a chat, which never answers with a web page: something else is at the address. Some refuse a message
    /// in the body alone: with the name of an error, such as Slack's `invalid_token`, or with JSON that says no.
    var outcomeOfChat: SinkResponse.Outcome {
        let verdict = try? JSON.decode(ChatVerdict.self, from: Array(body))  // most bodies hold none
        let isRefusal =
            isMarkup || verdict?.ok == false || verdict?.success == false
            || body.contains(UInt8(ascii: "_")) && body.allSatisfy { $0 == 0x5F || (0x61...0x7A).contains($0) }
        return outcome == .delivered && isRefusal ? .rejected : outcome
    }
}

/// Whether a message was accepted: as Slack's interfaces write it, or as Rocket.Chat does.
private struct ChatVerdict: Decodable {
    let ok: Bool?
    let success: Bool?
}

extension UpstreamError {
    /// What it means for a message that there was no answer.
    var outcome: SinkResponse.Outcome {
        switch kind {
        // What is wrong with the address or the server stays wrong.
        case .badRequest, .wrongAddress, .invalid: .rejected
        default: .failed()
        }
    }
}

extension HTTPRequest {
    /// Returns a request that is posted once and follows no redirect; without `secrets`, all after the host is secret.
    static func post(
        _ url: String, secrets: [String]? = nil, headers: [HTTPField] = [], type: String = "application/json",
        body: [UInt8]
    ) -> HTTPRequest {
        HTTPRequest(
            url, secrets: secrets ?? url.secretParts, method: .post,
            headers: [HTTPField("Content-Type", type)] + headers, body: Data(body), deadline: .seconds(30),
            responseLimit: 1 << 20)
    }
}

extension String {
    /// The parts of a URL that may have a token: the whole URL, and the part after the host.
    var secretParts: [String] {
        let path = split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).dropFirst(3).joined()
        return path.isEmpty ? [self] : [self, path]
    }

    /// Scheme, host and port of a URL, without what may have a token.
    var server: String {
        split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3).joined(separator: "/")
    }
}

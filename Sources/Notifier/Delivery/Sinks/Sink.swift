import FoundationEssentials
import JSONCoding
import Networking
import Text

/// A kind of sink, and one destination of that kind. A kind is a type in one file; ``ConfiguredSink/kinds`` lists them.
protocol Sink: Sendable {
    static var kind: String { get }
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

    /// The most connections: each sink can have its own, so that none waits for another one on the same host.
    private static let maximumConnections = 1_000

    init() {
        var retry = RetryPolicy.never
        retry.attemptTimeout = .seconds(30)
        http = HTTPClient(
            limits: HTTPClient.Limits(perHost: Self.maximumConnections, total: Self.maximumConnections), retry: retry)
    }

    func shutdown() async {
        await http.shutdown()
        await mail.shutdown()
    }
}

struct SinkResponse: Hashable, Sendable {
    enum Outcome: Hashable, Sendable {
        case delivered
        /// The destination rejected the message and would reject it again.
        case rejected
        /// A later attempt may succeed, after the pause that the destination asks for.
        case failed(retryAfter: Duration? = nil)
    }

    let outcome: Outcome
    /// The response, or the reason why there is none, for people.
    var text: String
    /// The recipients that accepted a message that others rejected.
    var acceptedBy: [String] = []

    private static let limit = 500

    /// Returns the response with its text on one line, shortened, and without the secrets.
    func sanitized(removing secrets: [String]) -> SinkResponse {
        let line = Redactor(secrets).redact(text).onOneLine
        var response = self
        response.text = line.count > Self.limit ? line.prefix(Self.limit) + "…" : line
        return response
    }
}

protocol HTTPSink: Sink {
    var url: String { get }

    func request(for message: SinkMessage, at now: Date) throws -> HTTPRequest

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
        let plain = await attempt(message.withoutImages, at: now, by: clients.http).response
        guard plain.outcome == .delivered else { return plain }
        return SinkResponse(outcome: .delivered, text: "\(plain.text), without the poster (\(response.text))")
    }

    private func attempt(
        _ message: SinkMessage, at now: Date, by client: HTTPClient
    ) async -> (status: Int?, response: SinkResponse) {
        do {
            let endpoint = APICall<HTTPResponse>(service: "sink", request: try request(for: message, at: now)) {
                response throws(UpstreamError) in response
            }
            let response = try await client.send(endpoint)
            let body = String(decoding: response.body.prefix(2_000), as: UTF8.self)
            let advice = response.redirect.map { " redirects to \($0): correct the sink's address" } ?? ""
            let text = "\(response.status)\(advice)\(body.isEmpty ? "" : " \(body)")"
            return (response.status, SinkResponse(outcome: outcome(of: response), text: text))
        } catch let error as UpstreamError {
            return (nil, SinkResponse(outcome: error.outcome, text: error.message))
        } catch {
            return (nil, SinkResponse(outcome: .rejected, text: "\(error)"))
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
        return failure.isTransient ? .failed(retryAfter: longestPause) : .rejected
    }

    /// The outcome for a chat service, which never answers with a web page: something else is at the address. Some refuse
    /// a message in the body alone.
    var outcomeOfChat: SinkResponse.Outcome {
        outcome == .delivered && (isMarkup || isRefusal) ? .rejected : outcome
    }

    /// Whether the body is JSON that says no, or the name of one of Slack's errors, such as `invalid_token`, in place of `ok`.
    private var isRefusal: Bool {
        if let verdict = try? JSON.decode(ChatVerdict.self, from: Array(body)) {  // most bodies hold none
            return verdict.ok == false || verdict.success == false
        }
        return body.contains(UInt8(ascii: "_"))
            && body.allSatisfy { $0 == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    }

    /// The longest pause that the service asks for, in the header or in the body.
    private var longestPause: Duration? {
        let asked = try? JSON.decode(AskedPause.self, from: Array(body))  // most bodies ask for nothing
        let seconds = [asked?.seconds, asked?.parameters?.seconds].compactMap(\.self)
        return (seconds.map(Duration.init(asked:)) + [retryAfter].compactMap(\.self)).max()
    }
}

/// Whether a message was accepted: as Slack's other interfaces write it, or as Rocket.Chat does.
private struct ChatVerdict: Decodable {
    let ok: Bool?
    let success: Bool?
}

/// A pause in a body: as Discord writes it, or as Telegram does.
private struct AskedPause: Decodable {
    struct Parameters: Decodable {
        let seconds: Double?

        enum CodingKeys: String, CodingKey {
            case seconds = "retry_after"
        }
    }

    let seconds: Double?
    let parameters: Parameters?

    enum CodingKeys: String, CodingKey {
        case seconds = "retry_after"
        case parameters
    }
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

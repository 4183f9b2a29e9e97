/// One question to one service, and how to read the answer.
public struct Endpoint<Value: Sendable>: Sendable {
    /// The service asked, by a short constant name (`kobis`): what errors and the quota ledger call it.
    public let service: String
    /// The request.
    public let request: HTTPRequest
    /// Reads an answer of any status, off the network thread. Where it throws, the error decides whether the client
    /// tries again.
    public let read: @Sendable (HTTPResponse) throws(UpstreamError) -> Value

    /// Makes an endpoint.
    public init(
        service: String, request: HTTPRequest, read: @escaping @Sendable (HTTPResponse) throws(UpstreamError) -> Value
    ) {
        self.service = service
        self.request = request
        self.read = read
    }
}

extension Endpoint where Value: Decodable {
    /// Makes an endpoint whose answer is a `Value` in JSON and whose failures are told by the status.
    public init(service: String, request: HTTPRequest) {
        self.init(service: service, request: request) { response throws(UpstreamError) in
            if let failure = response.failure(of: service), !response.isHTML { throw failure }
            return try response.decode(of: service)
        }
    }
}

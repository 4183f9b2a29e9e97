/// A request to one service, with the function that reads the response.
public struct Endpoint<Value: Sendable>: Sendable {
    /// The service's short constant name (`kobis`), used in errors and in the quota ledger.
    public let service: String
    /// The request.
    public let request: HTTPRequest
    /// Reads a response of any status, off the network thread. If it throws, the error's ``UpstreamError/isTransient``
    /// decides whether the client retries.
    public let read: @Sendable (HTTPResponse) throws(UpstreamError) -> Value

    /// Creates an endpoint.
    ///
    /// - Parameters:
    /// - service: The service's short constant name.
    /// - request: The request to send.
    /// - read: Reads a response of any status; called off the network thread.
    public init(
        service: String, request: HTTPRequest, read: @escaping @Sendable (HTTPResponse) throws(UpstreamError) -> Value
    ) {
        self.service = service
        self.request = request
        self.read = read
    }
}

extension Endpoint where Value: Decodable {
    /// Creates an endpoint whose response is a `Value` in JSON and whose failures follow from the HTTP status.
    public init(service: String, request: HTTPRequest) {
        self.init(service: service, request: request) { response throws(UpstreamError) in
            if let failure = response.failure(of: service), !response.isNotice { throw failure }
            return try response.decode(of: service)
        }
    }
}

internal import Concurrency
internal import Text

/// Sends HTTP requests to upstream services: the program's only way out by HTTP.
///
/// Identical GET and HEAD requests in flight share one transfer. Transient failures are retried with full jitter within
/// the request's deadline. ``Limits`` bound the concurrent requests per host and in total; further requests wait in
/// order of arrival. A cancelled caller returns at once. The client ignores the `*_proxy` variables and has no cookies
/// and no cache.
public final class HTTPClient: Sendable {
    /// Receives the result of each attempt: the kind of failure, or nil for a success, and the attempt's duration.
    public typealias AttemptReport =
        @Sendable (_ service: String, _ failure: UpstreamError.Kind?, _ duration: Duration) -> Void

    /// Takes back what was booked for an attempt of which nothing was sent.
    public typealias BookingRelease = @Sendable () async -> Void

    /// Books an attempt before it is made.
    public typealias AttemptBooking = @Sendable (_ service: String) async throws(UpstreamError) -> BookingRelease?

    /// Identifies requests that can share a transfer. The type of the value is part of the key, so that the value fits
    /// every caller.
    struct RequestKey: Hashable, Sendable {
        let service: String
        let request: HTTPRequest
        let value: ObjectIdentifier
    }

    private let transport: Transport
    let singleFlight: SingleFlight<RequestKey, Result<any Sendable, UpstreamError>>
    private let retry: RetryPolicy
    private let retryEnvironment: RetryEnvironment
    private let beforeAttempt: AttemptBooking
    private let afterAttempt: AttemptReport

    /// Creates a client and starts its thread.
    ///
    /// - Parameter beforeAttempt: Called with the service's name before each attempt, including retries, so that a quota
    ///   can be booked before it is used. If it throws, the attempt is not made and `send` throws that error. What it
    ///   returns is called if the attempt fails before anything of the request was sent.
    public init(
        limits: Limits = Limits(), retry: RetryPolicy = RetryPolicy(), retryEnvironment: RetryEnvironment = .system,
        beforeAttempt: @escaping AttemptBooking = { _ in nil },
        afterAttempt: @escaping AttemptReport = { _, _, _ in }
    ) {
        transport = Transport(limits: limits)
        singleFlight = SingleFlight()
        self.retry = retry
        self.retryEnvironment = retryEnvironment
        self.beforeAttempt = beforeAttempt
        self.afterAttempt = afterAttempt
    }

    /// Sends the call's request and returns the value that the call reads from the response.
    ///
    /// Concurrent calls with the same GET or HEAD request and value type share one transfer, its deadline (which starts
    /// with the first call) and its value.
    ///
    /// - Throws: The error of the last attempt, with the request at the end of its message; `cancelled` if the task is
    ///   cancelled or the client is shut down.
    public func send<Value>(_ call: APICall<Value>) async throws(UpstreamError) -> Value {
        guard !Task.isCancelled else { throw .cancelled(call.service) }
        guard call.request.method.isSafe else { return try await sendWithRetries(call) }
        let key = RequestKey(
            service: call.service, request: call.request, value: ObjectIdentifier(Value.self))
        let result: Result<any Sendable, UpstreamError>
        do throws(CancellationError) {
            result = try await singleFlight.run(key) {
                do throws(UpstreamError) {
                    return .success(try await self.sendWithRetries(call))
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            throw .cancelled(call.service)
        }
        guard let value = try result.get() as? Value else {
            preconditionFailure("RequestKey includes the value's type")
        }
        return value
    }

    /// Cancels all requests, closes the connections and stops the thread. Later requests fail as `cancelled`.
    public func shutdown() async {
        singleFlight.close()
        await transport.shutdown()
    }

    private func sendWithRetries<Value>(_ call: APICall<Value>) async throws(UpstreamError) -> Value {
        let start = retryEnvironment.now()
        var retries = RetryState(retry, for: call.request)
        while true {
            let release: BookingRelease?
            do throws(UpstreamError) {
                release = try await beforeAttempt(call.service)
            } catch {
                let failures = retries.failures == 0 ? "" : ", after \(retries.failures) failed attempts"
                throw error.describing(call.request, suffix: failures)
            }
            do throws(UpstreamError) {
                return try await attempt(call, retries, since: start, release)
            } catch {
                let elapsed = start.duration(to: retryEnvironment.now())
                let pause = retries.pause(after: error, elapsed: elapsed, fraction: retryEnvironment.fraction())
                guard let pause else {
                    let attempts = retries.failures > 1 ? ", after \(retries.failures) attempts" : ""
                    throw error.describing(call.request, suffix: attempts)
                }
                do {
                    try await retryEnvironment.sleep(pause)
                } catch {
                    throw .cancelled(call.service)
                }
            }
        }
    }

    private func attempt<Value>(
        _ call: APICall<Value>, _ retries: RetryState, since start: ContinuousClock.Instant,
        _ release: BookingRelease?
    ) async throws(UpstreamError) -> Value {
        let begin = retryEnvironment.now()
        let elapsed = start.duration(to: begin)
        let timeLeft = call.request.deadline - elapsed
        guard timeLeft > .zero else {
            await release?()
            throw UpstreamError(
                service: call.service, kind: .timeout, message: "the deadline passed before the request was sent")
        }
        let result: Result<Value, UpstreamError>
        switch await transport.perform(call.request, timeout: retries.timeout(after: elapsed), deadline: timeLeft) {
        case .failure(let failure):
            if !failure.wasSent { await release?() }
            result = .failure(UpstreamError(service: call.service, kind: failure.kind, message: failure.reason))
        case .success(var response):
            // A date is one of the service's own clock, which need not be this machine's.
            let now = response.date ?? retryEnvironment.date()
            response.retryAfter = response.headers.filter { $0.isNamed("Retry-After") }
                .compactMap { Duration(retryAfter: $0.value, at: now) }.max()
            result = Result { () throws(UpstreamError) in try call.read(response) }
                .mapError { $0.asking(response.retryAfter) }
        }
        let error: UpstreamError? = if case .failure(let error) = result { error } else { nil }
        afterAttempt(call.service, error?.kind, begin.duration(to: retryEnvironment.now()))
        return try result.get()
    }
}

// MARK: - Error messages

extension UpstreamError {
    static func cancelled(_ service: String) -> UpstreamError {
        UpstreamError(service: service, kind: .cancelled, message: "cancelled")
    }

    /// Returns the error with the longest pause that the service asks for, by the header or by the body; the message says
    /// so if that is too long.
    func asking(_ pause: Duration?) -> UpstreamError {
        guard let asked = [retryAfter, pause].compactMap(\.self).max() else { return self }
        var error = self
        error.retryAfter = min(asked, .longestRetryAfter)
        if asked > .longestRetryAfter {
            error.message += "; it asks for a pause of \(asked.components.seconds) s and is called again after a day"
        }
        return error
    }

    /// Returns the error with the request in its message, and with each text of bounded bytes and without the request's
    /// secrets.
    func describing(_ request: HTTPRequest, suffix: String) -> UpstreamError {
        let redactor = request.redactor
        // Redacted first: what is cut in the middle of a secret would keep half of it.
        func bounded(_ text: String) -> String { redactor.redact(text).prefix(bytes: Self.textLimit) }
        var error = self
        error.message = "\(bounded(message))\(suffix) (\(request))"
        error.code = code.map(bounded)
        error.field = field.map(bounded)
        return error
    }

    private static let textLimit = 1_000
}

// MARK: - Calls

/// A request to one service, with the function that reads the response.
public struct APICall<Value: Sendable>: Sendable {
    /// The service's short constant name (`kobis`), used in errors and in the quota ledger.
    public let service: String
    /// The request.
    public let request: HTTPRequest
    /// Reads a response of any status, off the network thread. If it throws, the error's ``UpstreamError/isTransient``
    /// decides whether the client retries.
    public let read: @Sendable (HTTPResponse) throws(UpstreamError) -> Value

    /// Creates a call.
    public init(
        service: String, request: HTTPRequest, read: @escaping @Sendable (HTTPResponse) throws(UpstreamError) -> Value
    ) {
        self.service = service
        self.request = request
        self.read = read
    }
}

extension APICall where Value: Decodable {
    /// Creates a call whose response is a `Value` in JSON and whose failures follow from the HTTP status.
    public init(service: String, request: HTTPRequest) {
        self.init(service: service, request: request) { response throws(UpstreamError) in
            if let failure = response.failure(of: service), !response.isNotice { throw failure }
            return try response.decode(of: service)
        }
    }
}

// MARK: - Limits

extension HTTPClient {
    /// Bounds on what a client does concurrently.
    public struct Limits: Sendable {
        /// Maximum concurrent requests to one host (scheme, name and port). A redirect to another host counts for the
        /// first host.
        public var perHost: Int
        /// Maximum concurrent requests in total.
        public var total: Int
        /// Maximum number of requests that wait for a connection; one more fails as `unavailable`.
        public var queueLength: Int
        /// Maximum number of bytes of all response bodies that are not whole; a transfer that receives more fails as
        /// `quotaExhausted`, unless it is the only one with a body.
        public var bodyBytes: Int

        /// Creates limits.
        public init(perHost: Int = 4, total: Int = 32, queueLength: Int = 1_024, bodyBytes: Int = .max) {
            self.perHost = perHost
            self.total = total
            self.queueLength = queueLength
            self.bodyBytes = bodyBytes
        }
    }
}

internal import Concurrency
internal import Text

/// Asks upstream services: the one way out of the program by HTTP.
///
/// Identical requests in flight share one transfer. What fails in passing is tried again, with full jitter, within the
/// request's deadline. At most so many requests go to one host at once, the others wait in order. Cancellation returns
/// at once. It never looks at proxies of the environment, and keeps no cookies and no cache.
public final class HTTPClient: Sendable {
    /// Told of each attempt that was made: how it failed, if it did, and how long it took.
    public typealias AttemptReport =
        @Sendable (
            _ service: String, _ failure: UpstreamError.Kind?, _ duration: Duration
        ) -> Void

    /// What makes two requests the same: the type of the value as well, so that it fits all who share it.
    struct RequestKey: Hashable, Sendable {
        let service: String
        let request: HTTPRequest
        let value: ObjectIdentifier

        /// Feeds what tells requests apart; all of it takes its time.
        func hash(into hasher: inout Hasher) {
            hasher.combine(request.url)
            for item in request.query { hasher.combine(item.value) }
        }
    }

    private let transport: Transport
    let flights: SingleFlight<RequestKey, Result<any Sendable, UpstreamError>>
    private let retry: RetryPolicy
    private let surroundings: RetryEnvironment
    private let beforeAttempt: @Sendable (String) async throws(UpstreamError) -> Void
    private let afterAttempt: AttemptReport
    /// The client's thread, where answers that may be shared are read: a task that prefers it asks and is answered without
    /// a hop to another.
    ///
    /// Who runs there must not block it. After `shutdown` it is any thread.
    public var executor: any TaskExecutor { transport.executor }

    /// Makes a client, and starts its thread.
    ///
    /// `beforeAttempt` is called with the service's name before each attempt, retries too, so that a quota can be
    /// booked before it is used; what it throws takes the place of the attempt. `afterAttempt` is told of each attempt.
    public convenience init(
        limits: Limits = Limits(), retry: RetryPolicy = RetryPolicy(), surroundings: RetryEnvironment = .system,
        beforeAttempt: @escaping @Sendable (_ service: String) async throws(UpstreamError) -> Void = { _ in },
        afterAttempt: @escaping AttemptReport = { _, _, _ in }
    ) {
        self.init(
            limits: limits, retry: retry, surroundings: surroundings, isPublic: \.isPublic,
            beforeAttempt: beforeAttempt, afterAttempt: afterAttempt)
    }

    /// Makes a client with its own idea of what a public address is.
    init(
        limits: Limits = Limits(), retry: RetryPolicy = RetryPolicy(), surroundings: RetryEnvironment = .system,
        isPublic: @escaping @Sendable (IPAddress) -> Bool,
        beforeAttempt: @escaping @Sendable (_ service: String) async throws(UpstreamError) -> Void = { _ in },
        afterAttempt: @escaping AttemptReport = { _, _, _ in }
    ) {
        transport = Transport(limits: limits, isPublic: isPublic)
        flights = SingleFlight(on: transport.executor)
        self.retry = retry
        self.surroundings = surroundings
        self.beforeAttempt = beforeAttempt
        self.afterAttempt = afterAttempt
    }

    /// Asks, and returns what the endpoint reads from the answer.
    ///
    /// Callers who ask the same of the same service at the same time, by GET or HEAD, share the transfer, its deadline
    /// (which began with the first of them) and the value.
    public func send<Value>(_ endpoint: Endpoint<Value>) async throws(UpstreamError) -> Value {
        guard !Task.isCancelled else { throw .cancelled(endpoint.service) }
        guard endpoint.request.method.isSafe else { return try await exchange(endpoint) }
        let key = RequestKey(
            service: endpoint.service, request: endpoint.request, value: ObjectIdentifier(Value.self))
        let outcome: Result<any Sendable, UpstreamError>
        do throws(CancellationError) {
            outcome = try await flights.run(key) {
                do throws(UpstreamError) {
                    return .success(try await self.exchange(endpoint))
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            throw .cancelled(endpoint.service)
        }
        guard let value = try outcome.get() as? Value else { preconditionFailure("a request's key names its type") }
        return value
    }

    /// Ends everything under way as cancelled, closes the connections and ends the thread. Later requests are cancelled
    /// at once.
    public func shutdown() async {
        flights.close()
        await transport.shutdown()
    }

    /// Makes attempts until one succeeds or another makes no sense.
    private func exchange<Value>(_ endpoint: Endpoint<Value>) async throws(UpstreamError) -> Value {
        let start = surroundings.now()
        var retries = RetryState(retry, for: endpoint.request)
        while true {
            do throws(UpstreamError) {
                try await beforeAttempt(endpoint.service)
            } catch {
                throw error.told(of: endpoint.request, after: retries.failures)
            }
            do throws(UpstreamError) {
                return try await attempt(endpoint, retries, since: start)
            } catch {
                let elapsed = start.duration(to: surroundings.now())
                switch retries.decide(after: error, elapsed: elapsed, fraction: surroundings.fraction()) {
                case .giveUp: throw error.told(of: endpoint.request, attempts: retries.failures)
                case .wait(let pause):
                    do {
                        try await surroundings.sleep(pause)
                    } catch {
                        throw .cancelled(endpoint.service)
                    }
                }
            }
        }
    }

    private func attempt<Value>(
        _ endpoint: Endpoint<Value>, _ retries: RetryState, since start: ContinuousClock.Instant
    ) async throws(UpstreamError) -> Value {
        let request = endpoint.request
        let elapsed = start.duration(to: surroundings.now())
        guard elapsed < request.deadline else {
            throw UpstreamError(
                service: endpoint.service, kind: .timeout, message: "the time was over before it was sent")
        }
        let begin = surroundings.now()
        do throws(UpstreamError) {
            let value = try await call(
                endpoint, timeout: retries.timeout(after: elapsed), deadline: request.deadline - elapsed)
            afterAttempt(endpoint.service, nil, begin.duration(to: surroundings.now()))
            return value
        } catch {
            afterAttempt(endpoint.service, error.kind, begin.duration(to: surroundings.now()))
            throw error
        }
    }

    private func call<Value>(
        _ endpoint: Endpoint<Value>, timeout: Duration, deadline: Duration
    ) async throws(UpstreamError) -> Value {
        switch await transport.perform(.http(endpoint.request), timeout: timeout, deadline: deadline) {
        case .failure(let failure):
            throw UpstreamError(service: endpoint.service, kind: failure.kind, message: failure.reason)
        case .success(var response):
            response.retryAfter = response["Retry-After"].flatMap { Duration(retryAfter: $0, at: surroundings.date()) }
            do {
                return try endpoint.read(response)
            } catch {
                var error = error
                error.retryAfter = error.retryAfter ?? response.retryAfter
                throw error
            }
        }
    }
}

extension UpstreamError {
    /// The error of a caller that no longer wants an answer.
    static func cancelled(_ service: String) -> UpstreamError {
        UpstreamError(service: service, kind: .cancelled, message: "cancelled")
    }

    /// The error of the last attempt, told as `told(of:_:)` does.
    func told(of request: HTTPRequest, attempts: Int) -> UpstreamError {
        told(of: request, attempts > 1 ? ", at the last of \(attempts) attempts" : "")
    }

    /// The error that took the place of another attempt, told as `told(of:_:)` does.
    func told(of request: HTTPRequest, after attempts: Int) -> UpstreamError {
        told(of: request, attempts > 0 ? ", after \(attempts) failed attempt\(attempts == 1 ? "" : "s")" : "")
    }

    /// The error with what was asked, and without anything that must not be seen.
    private func told(of request: HTTPRequest, _ course: String) -> UpstreamError {
        let redactor = request.redactor
        var error = self
        error.message = "\(request): \(redactor.redact(message))\(course)"
        error.code = code.map(redactor.redact)
        error.field = field.map(redactor.redact)
        return error
    }
}

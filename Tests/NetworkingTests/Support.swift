import Foundation
import TestSupport

@testable import Networking

extension APICall where Value == String {
    /// An endpoint whose value is the body of a successful response.
    static func text(_ request: HTTPRequest) -> APICall {
        APICall(service: "test", request: request) { response throws(UpstreamError) in
            if let failure = response.failure(of: "test") { throw failure }
            return String(decoding: response.body, as: UTF8.self)
        }
    }
}

extension APICall where Value == HTTPResponse {
    /// An endpoint whose value is the response itself, with any status.
    static func raw(_ request: HTTPRequest) -> APICall {
        APICall(service: "test", request: request) { response throws(UpstreamError) in response }
    }
}

extension RetryPolicy {
    /// One attempt with a timeout that no slow machine reaches.
    static let patient = RetryPolicy(attempts: 1, attemptTimeout: .seconds(3600))
}

/// A clock that advances only while the client sleeps, and a fixed random number.
final class ManualTime: Sendable {
    private struct State {
        var now = ContinuousClock.now
        var pauses: [Duration] = []
    }

    private let state = Monitor(State())
    private let fraction: Double

    init(fraction: Double = 0.5) {
        self.fraction = fraction
    }

    /// The pauses that the client made.
    var pauses: [Duration] { state.withLock(\.pauses) }

    var retryEnvironment: HTTPClient.RetryEnvironment {
        HTTPClient.RetryEnvironment(
            now: { self.state.withLock(\.now) },
            date: { Date(timeIntervalSince1970: 784_111_777) },  // Sun, 06 Nov 1994 08:49:37 GMT
            sleep: { pause in
                try Task.checkCancellation()
                self.state.withLock { state in
                    state.now += pause
                    state.pauses.append(pause)
                }
            },
            fraction: { self.fraction })
    }
}

/// Returns the error that `body` threw; nil if it returned.
func failure<Value>(of body: () async throws(UpstreamError) -> Value) async -> UpstreamError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error
    }
}

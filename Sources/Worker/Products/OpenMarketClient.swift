import Contract
import Networking
import Operations
import Upstreams

/// How the worker reaches the Open Market.
struct OpenMarketClient: Sendable {
    let api: OpenMarketAPI
    /// Asks, as often as it takes.
    let client: HTTPClient
    /// Orders, each once: whether it is tried again is decided by whoever ordered.
    let orders: HTTPClient
    /// Whether we have an identifier there.
    let hasIdentifier: Bool
    /// The vendor's secret, where a request brings none.
    let secret: Secret?
    let clock: WallClock

    /// Asks; throws the `ContractError` that says why there is no answer.
    func ask<Value>(_ endpoint: Endpoint<Value>) async throws -> Value {
        do {
            return try await client.send(endpoint)
        } catch {
            throw try ContractError(error, at: clock.now())
        }
    }

    /// Asks for what may be gone: nil if it is.
    func find<Value>(_ endpoint: Endpoint<Value>) async throws -> Value? {
        do {
            return try await ask(endpoint)
        } catch let failure as ContractError where failure.code == .notFound {
            return nil
        }
    }
}

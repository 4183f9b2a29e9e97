import Contract
import Networking
import OpenMarket
import ServiceRuntime
import Upstreams

/// The two parts of the worker that use the Open Market.
struct OpenMarketHandlers: Sendable {
    let fetcher: ProductFetcher
    let executor: ProductOrderExecutor
}

/// Calls the Open Market's API.
struct OpenMarketClient: Sendable {
    let api: OpenMarketAPI
    /// The client for queries; it retries.
    let queryClient: HTTPClient
    /// The client for orders; it sends each once, because ``ProductOrderExecutor`` decides on retries.
    let orderClient: HTTPClient
    /// Whether the vendor's identifier is configured.
    let hasIdentifier: Bool
    /// The configured secret of the vendor, for requests that bring none.
    let secret: Secret?
    let runtime: Runtime

    /// Sends a query.
    ///
    /// - Throws: The `ContractError` that the request fails with, or `CancellationError`.
    func fetch<Value>(_ endpoint: APICall<Value>) async throws -> Value {
        do {
            return try await queryClient.send(endpoint)
        } catch {
            throw try ContractError(error, at: runtime.wallClock.now())
        }
    }

    /// Sends a query, and returns nil if what it asks for does not exist.
    func fetchIfExists<Value>(_ endpoint: APICall<Value>) async throws -> Value? {
        do {
            return try await fetch(endpoint)
        } catch let failure as ContractError where failure.code == .notFound {
            return nil
        }
    }
}

// MARK: Registrations

extension OpenMarketClient {
    /// Returns the product that a registration made, or nil if it made none: newer than `newest`, owned by the vendor and
    /// equal in every field.
    ///
    /// - Throws: `uncertain` if several products match: the Open Market stores no request id with a product.
    func registeredProduct(
        of draft: ProductDraft, images: Int, after newest: Int, secret: String
    ) async throws -> Reading<Product>? {
        var found: [Reading<Product>] = []
        for candidate in try await products(after: newest) where draft.matches(candidate) {
            guard let reading = try await fetchIfExists(api.product(candidate.id)),
                case let product = reading.value, draft.matches(product),
                product.images?.count ?? images == images, try await isOwned(product.id, bySecret: secret)
            else { continue }
            found.append(reading)
        }
        guard found.count <= 1 else {
            let numbers = found.map(\.value.id.description).joined(separator: ", ")
            throw ContractError(
                .uncertain, "the products \(numbers) all match the one to register; check which of them is wanted")
        }
        return found.first
    }

    /// Returns the products that are newer than one. The list has the newest first.
    private func products(after newest: Int) async throws -> [Product] {
        var found: [ProductID: Product] = [:]
        for number in 1...ProductFetcher.maximumPages {
            guard let page = try await fetchIfExists(api.products(page: number, perPage: 100))?.value else { break }
            for product in page.products where product.id.number > newest { found[product.id] = product }
            guard page.hasNext, page.products.allSatisfy({ $0.id.number > newest }) else { break }
        }
        return found.values.sorted { $0.id < $1.id }
    }

    /// Whether a product belongs to the vendor with this secret: the Open Market rejects changes of others' products.
    private func isOwned(_ id: ProductID, bySecret secret: String) async throws -> Bool {
        do {
            try await fetch(api.change(id, .empty, secret: secret))
            return true
        } catch let failure as ContractError where [.unauthorized, .forbidden, .notFound].contains(failure.code) {
            return false
        }
    }
}

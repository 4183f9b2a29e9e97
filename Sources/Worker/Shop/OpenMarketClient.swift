import Contract
import EventStore
import Networking
import OpenMarket
import ServiceRuntime
import Upstreams

struct OpenMarketClient: Sendable {
    /// The most pages of a catalogue that are fetched, whatever number the Open Market reports.
    private static let maximumPages = 200

    let store: WorkerStore
    let api: OpenMarketAPI
    /// The client for queries; it retries.
    let queryClient: HTTPClient
    /// The client for orders; it sends each once, because ``ProductOrderExecutor`` decides on retries.
    let orderClient: HTTPClient
    let hasIdentifier: Bool
    /// The configured secret of the vendor, for requests that bring none.
    let secret: Secret?
    let runtime: Runtime

    func fetch<Value>(_ endpoint: APICall<Value>) async throws -> Value {
        do {
            return try await queryClient.send(endpoint)
        } catch {
            throw try ContractError(error, at: runtime.wallClock.now())
        }
    }

    func fetchIfExists<Value>(_ endpoint: APICall<Value>) async throws -> Value? {
        do {
            return try await fetch(endpoint)
        } catch let failure as ContractError where failure.code == .notFound {
            return nil
        }
    }
}

// MARK: Queries

extension OpenMarketClient {
    func result(for query: ProductQuery) async throws -> FetchResult {
        switch query {
        case .page(let page, let perPage):
            FetchResult(try await fetch(api.products(page: page, perPage: perPage))) { .productPage($0) }
        case .catalogue(let perPage): try await catalogue(perPage)
        case .product(let id): try await product(id)
        }
    }

    /// Fetches page after page until one does not exist, is the last, or has nothing new. Products that were on an
    /// earlier page are removed, so that overlapping pages name none twice. If a page fails, the result has the pages
    /// before it and the error.
    private func catalogue(_ perPage: Int) async throws -> FetchResult {
        var result = FetchResult(source: .upstream)
        var seen: Set<ProductID> = []
        for number in 1...Self.maximumPages {
            let reading: Reading<ProductPage>
            do {
                let endpoint = api.products(page: number, perPage: perPage)
                guard let found = try await fetchIfExists(endpoint) else { return result }
                reading = found
            } catch let failure as ContractError where number > 1 {
                result.problems.append(failure)
                return result
            }
            var page = reading.value
            page.products.removeAll { !seen.insert($0.id).inserted }
            if page.products.isEmpty, number > 1 { return result }
            result.add(reading) { _ in .productPage(page) }
            if !page.hasNext { return result }
        }
        result.problems.append(
            ContractError(
                .upstreamInvalid, "the catalogue has more than \(Self.maximumPages) pages; the rest was not fetched"))
        return result
    }

    private func product(_ id: ProductID) async throws -> FetchResult {
        do {
            return FetchResult(try await fetch(api.product(id))) { .product($0) }
        } catch let failure as ContractError where failure.code == .notFound {
            // The removal is published once; later requests fail as not found.
            let (known, removal) = try await store.read { transaction in
                (try transaction.latest(.product(id)), try transaction.latest(.productRemoved(id)))
            }
            guard let known, removal == nil else { throw failure }
            let removed = RemovedProduct(id: id, product: try known.data())
            return FetchResult(fetched: [.productRemoved(removed)], source: .upstream)
        }
    }
}

// MARK: Registrations

extension OpenMarketClient {
    /// Returns the product that a registration made, or nil if it made none: newer than `newest`, owned by the vendor and
    /// equal in every field. If several match, it is `uncertain`: the Open Market stores no request id with a product.
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
        for number in 1...Self.maximumPages {
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

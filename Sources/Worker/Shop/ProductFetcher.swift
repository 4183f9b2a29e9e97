import Contract
import EventStore
import OpenMarket
import Upstreams

/// Finds products at the Open Market.
struct ProductFetcher: Sendable {
    /// The most pages of a catalogue that are fetched, whatever number the Open Market reports.
    static let maximumPages = 200

    let store: WorkerStore
    let client: OpenMarketClient

    /// Returns the result of a query.
    ///
    /// - Throws: The `ContractError` that the request fails with, `DatabaseError` or `CancellationError`.
    func result(for query: ProductQuery) async throws -> FetchResult {
        switch query {
        case .page(let page, let perPage): try await self.page(page, perPage)
        case .catalogue(let perPage): try await catalogue(perPage)
        case .product(let id): try await product(id)
        }
    }

    private func page(_ page: Int, _ perPage: Int) async throws -> FetchResult {
        FetchResult(try await client.fetch(client.api.products(page: page, perPage: perPage))) { .productPage($0) }
    }

    /// Fetches page after page until one does not exist, is the last, or has nothing new.
    ///
    /// Products that were on an earlier page are removed, so that overlapping pages name none twice. If a page fails, the
    /// result has the pages before it and the error.
    private func catalogue(_ perPage: Int) async throws -> FetchResult {
        var result = FetchResult(source: .upstream)
        var seen: Set<ProductID> = []
        for number in 1...Self.maximumPages {
            let reading: Reading<ProductPage>
            do {
                guard let found = try await client.fetchIfExists(client.api.products(page: number, perPage: perPage))
                else {
                    return result
                }
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
            return FetchResult(try await client.fetch(client.api.product(id))) { .product($0) }
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

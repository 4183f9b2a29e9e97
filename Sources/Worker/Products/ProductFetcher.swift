import Contract
import EventStore
import FoundationEssentials
import OpenMarket
import Upstreams

/// Finds what is asked of the shop: in the log if that is fresh, else at the market.
struct ProductFetcher: Sendable {
    /// How long an answer from the log counts as fresh: stocks change by the minute.
    private static let freshness: TimeInterval = 60
    /// How many pages a walk through the catalogue takes at most, whatever the market says of their number.
    static let mostPages = 200

    let store: WorkerStore
    let shop: OpenMarketClient

    func result(for question: ProductQuery, refresh: Bool, asOf now: Date) async throws -> FetchResult {
        switch question {
        case .page(let page, let perPage): try await self.page(page, perPage, refresh: refresh, asOf: now)
        case .catalogue(let perPage): try await catalogue(perPage)
        case .product(let id): try await product(id, refresh: refresh, asOf: now)
        }
    }

    private func page(_ page: Int, _ perPage: Int, refresh: Bool, asOf now: Date) async throws -> FetchResult {
        let topic = Topic.products(page: page, perPage: perPage)
        if !refresh, let known = try await store.known(topic),
            known.isFresh(for: Self.freshness, at: now)
        {
            return FetchResult(logged: [known.event])
        }
        let page = try await shop.ask(shop.api.products(page: page, perPage: perPage))
        return FetchResult(fetched: [.productPage(page)], source: .upstream)
    }

    /// Walks from page to page until one is not there, or says that it is the last, or has nothing new.
    ///
    /// Each page holds only what those before it did not, so that pages which overlap name no product twice. A page that
    /// fails ends the walk; what was found until then is kept, and the failure stands beside it.
    private func catalogue(_ perPage: Int) async throws -> FetchResult {
        var result = FetchResult(source: .upstream)
        var seen: Set<ProductID> = []
        for number in 1...Self.mostPages {
            var page: ProductPage
            do {
                guard let found = try await shop.find(shop.api.products(page: number, perPage: perPage)) else {
                    return result
                }
                page = found
            } catch let failure as ContractError where number > 1 {
                result.problems.append(failure)
                return result
            }
            page.products.removeAll { !seen.insert($0.id).inserted }
            if page.products.isEmpty, number > 1 { return result }
            result.fetched.append(.productPage(page))
            if !page.hasNext { return result }
        }
        result.problems.append(
            ContractError(
                .upstreamInvalid, "the catalogue has more than \(Self.mostPages) pages; the rest was left out"))
        return result
    }

    private func product(_ id: ProductID, refresh: Bool, asOf now: Date) async throws -> FetchResult {
        let known = try await store.known(.product(id))
        let removal = try await store.known(.productRemoved(id))
        if !refresh, let known, removal == nil, known.isFresh(for: Self.freshness, at: now) {
            return FetchResult(logged: [known.event])
        }
        do {
            return FetchResult(fetched: [.product(try await shop.ask(shop.api.product(id)))], source: .upstream)
        } catch let failure as ContractError where failure.code == .notFound {
            // That a product is gone is told once; who asks for it later is told that there is none.
            guard let known, removal == nil else { throw failure }
            let removed = RemovedProduct(id: id, product: try known.event.data())
            return FetchResult(fetched: [.productRemoved(removed)], source: .upstream)
        }
    }
}

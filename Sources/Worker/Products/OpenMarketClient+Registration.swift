import Contract
import Networking
import OpenMarket
import Upstreams

extension OpenMarketClient {
    /// The product that a registration made, if it made one: newer than `newest`, ours, and the same in every field.
    ///
    /// The market keeps no mark of ours on a product, so two that are equally likely cannot be told apart: that is
    /// `uncertain`.
    func registration(
        of draft: ProductDraft, images: Int, after newest: Int, secret: String
    ) async throws -> Product? {
        var found: [Product] = []
        for candidate in try await products(after: newest) where draft.matches(candidate) {
            guard let product = try await find(api.product(candidate.id)), draft.matches(product),
                product.images?.count ?? images == images, try await isOurs(product.id, secret: secret)
            else { continue }
            found.append(product)
        }
        guard found.count <= 1 else {
            let numbers = found.map(\.id.description).joined(separator: ", ")
            throw ContractError(.uncertain, "the products \(numbers) are all like the one that was to be registered")
        }
        return found.first
    }

    /// The products that are newer than one: the list has the newest first.
    private func products(after newest: Int) async throws -> [Product] {
        var found: [ProductID: Product] = [:]
        for number in 1...ProductFetcher.mostPages {
            guard let page = try await find(api.products(page: number, perPage: 100)) else { break }
            for product in page.products where product.id.number > newest { found[product.id] = product }
            guard page.hasNext, page.products.allSatisfy({ $0.id.number > newest }) else { break }
        }
        return found.values.sorted { $0.id < $1.id }
    }

    /// Whether a product is the vendor's whose secret this is: others' the market does not let it change.
    private func isOurs(_ id: ProductID, secret: String) async throws -> Bool {
        do {
            try await ask(api.change(id, .empty, secret: secret))
            return true
        } catch let failure as ContractError where [.unauthorized, .forbidden, .notFound].contains(failure.code) {
            return false
        }
    }
}

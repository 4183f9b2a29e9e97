import Concurrency
import Contract
import EventStore
import FoundationEssentials
import Networking
import OpenMarket
import Operations
import Upstreams

/// Carries out orders in the shop, each once, one after another.
///
/// Before an order is sent, a mark of it is put on disk. Whoever finds the mark (after a crash, or because no clear answer
/// came) looks at the market first: what is there already is not done again, what is not is sent again, and where that
/// cannot be told the order fails as `uncertain`. Orders do not overlap, so that what one made is not taken for another's.
///
/// See docs/decisions/0023-product-order-idempotency.md.
struct ProductOrderExecutor: Sendable {
    /// How long the market may go on with an order after its connection has ended: a look before that could miss it.
    static let patience = Duration.seconds(5)
    /// How often an order is sent.
    private static let attempts = 2

    let store: WorkerStore
    let shop: OpenMarketClient
    let pauses: any Clock<Duration>
    var failPoints = FailPoints.none
    private let mutex = AsyncSemaphore(permits: 1)

    /// Carries out an order; throws the `ContractError` that says why it was not done.
    func result(for order: ProductOrder, of id: RequestID) async throws -> FetchResult {
        try await mutex.withPermit {
            let attachments = try await store.attachments(of: id)
            guard shop.hasIdentifier else { throw ContractError.missing("identifier", "MARQUEE_OPENMARKET_IDENTIFIER") }
            guard let secret = attachments.secret ?? shop.secret?.value else {
                throw ContractError.missing("secret", "MARQUEE_OPENMARKET_SECRET")
            }
            var result: FetchResult
            switch order {
            case .register(let draft):
                result = try await register(draft, attachments.images, secret: secret, of: id)
            case .modify(let product, let change):
                result = try await modify(product, change, secret: secret, of: id)
            case .remove(let product):
                result = try await remove(product, secret: secret, of: id)
            }
            result.source = .upstream
            return result
        }
    }

    private func register(
        _ draft: ProductDraft, _ images: [[UInt8]], secret: String, of id: RequestID
    ) async throws -> FetchResult {
        let images = try images.enumerated().map { number, bytes in
            do throws(ProductValidationError) {
                return try ProductImage(bytes, index: number)
            } catch {
                throw ContractError(error)
            }
        }
        let order = shop.api.register(draft, images: images, secret: secret)
        let product = try await once(id, order) {
            try await shop.ask(shop.api.products(page: 1, perPage: 1)).products.first?.id.number ?? 0
        } found: { attempt in
            try await shop.registration(
                of: draft, images: images.count, after: attempt.newest, secret: secret)
        }
        return FetchResult(fetched: [.product(product)], askedAt: shop.clock.now())
    }

    private func modify(
        _ id: ProductID, _ change: ProductChange, secret: String, of request: RequestID
    ) async throws -> FetchResult {
        let product = try await shop.ask(shop.api.product(id))
        do throws(ProductValidationError) {
            try change.check(against: product)
        } catch {
            throw ContractError(error)
        }
        // Of the answer nothing is taken: it has no pictures, and is not always there.
        try await once(request, shop.api.change(id, change, secret: secret)) { attempt in
            try await change.isApplied(to: shop.ask(shop.api.product(id))) ? () : nil
        }
        let askedAt = shop.clock.now()
        do {
            let changed = try await shop.ask(shop.api.product(id))
            return FetchResult(fetched: [.product(changed)], askedAt: askedAt)
        } catch let failure as ContractError {
            return FetchResult(problems: [failure])
        }
    }

    private func remove(_ id: ProductID, secret: String, of request: RequestID) async throws -> FetchResult {
        let known = try await store.known(.product(id))?.event.data(as: Product.self)
        let product = try await shop.find(shop.api.product(id))
        if product != nil {
            let key = try await shop.ask(shop.api.removalKey(of: id, secret: secret))
            try await once(request, shop.api.remove(id, key: key)) { attempt in
                try await shop.find(shop.api.product(id)) == nil ? () : nil
            }
        } else if try await store.attempt(of: request) == nil {
            throw ContractError(.notFound, "there is no product \(id)")
        }
        let removed = RemovedProduct(id: id, product: product ?? known)
        return FetchResult(fetched: [.productRemoved(removed)], askedAt: shop.clock.now())
    }

    /// Sends an order unless it was carried out already; `found` looks for what an earlier attempt did.
    private func once<Value: Sendable>(
        _ id: RequestID, _ order: Endpoint<Value>, newest: () async throws -> Int = { 0 },
        found: (OrderIntent) async throws -> Value?
    ) async throws -> Value {
        if let attempt = try await store.attempt(of: id), let value = try await look(attempt, found) { return value }
        var failure = ContractError(.internal, "the order was not sent")
        for _ in 0..<Self.attempts {
            let attempt = OrderIntent(begun: shop.clock.now(), newest: try await newest())
            try await store.begin(attempt, of: id)
            failPoints.reach(.attempted)
            do throws(UpstreamError) {
                return try await shop.orders.send(order)
            } catch {
                failure = try ContractError(error, at: shop.clock.now())
                guard error.leavesDoubt else { throw failure }
            }
            if let value = try await look(attempt, found) { return value }
        }
        throw failure
    }

    /// Looks for what an attempt did, once the market has had the time to do it.
    private func look<Value>(_ attempt: OrderIntent, _ found: (OrderIntent) async throws -> Value?) async throws
        -> Value?
    {
        let elapsed = Duration.seconds(shop.clock.now().timeIntervalSince(attempt.begun))
        let rest = min(max(Self.patience - elapsed, .zero), Self.patience)
        if rest > .zero { try await pauses.sleep(for: rest) }
        do {
            return try await found(attempt)
        } catch let failure as ContractError where failure.code != .uncertain {
            throw ContractError(
                .uncertain, "the market may have done it, and does not tell: \(failure.message)",
                upstream: failure.upstream)
        }
    }
}

extension UpstreamError {
    /// Whether the market may have done what it was asked to: there was no answer, or one that says nothing.
    fileprivate var leavesDoubt: Bool {
        switch kind {
        case .unavailable, .timeout, .maintenance, .invalid: true
        case .badRequest, .notPublished, .notFound, .unauthorized, .forbidden, .quotaExhausted, .cancelled, .internal:
            false
        }
    }
}

extension ContractError {
    /// What a client is told where neither it nor the operator has said who sells.
    fileprivate static func missing(_ field: String, _ variable: String) -> ContractError {
        ContractError(
            .unauthorized, "the market's \(field) is not configured: set \(variable)", field: field,
            upstream: Upstream(service: OpenMarketAPI.service))
    }
}

import Concurrency
import Contract
import EventStore
import FoundationEssentials
import Imaging
import Networking
import OpenMarket
import ServiceRuntime
import Upstreams

/// Carries out orders at the Open Market, each once, one after another.  Before an order is sent, its ``OrderIntent``
/// is stored. After a crash or an unclear answer the executor checks the Open Market first: an order that was carried
/// out is not sent again, one that was not is, and if that cannot be decided the order fails as `uncertain`. Orders do
/// not overlap, so that the effect of one is not taken for that of another.  See
/// docs/decisions/product-order-idempotency.md.
struct ProductOrderExecutor: Sendable {
    /// How long the Open Market may still process an order after its connection has ended; an earlier check could miss
    /// it.
    static let settlingTime = Duration.seconds(5)
    private static let maximumAttempts = 2

    let client: OpenMarketClient
    let decoder: ImageDecoder
    private var store: WorkerStore { client.store }
    private var runtime: Runtime { client.runtime }
    private let mutex = AsyncSemaphore(permits: 1)

    func result(for order: ProductOrder, of id: RequestID) async throws -> FetchResult {
        try await mutex.withPermit {
            let attachments = try await store.read { try OrderStore($0).attachments(of: id) }
            guard client.hasIdentifier else {
                throw ContractError.missing("identifier", "MARQUEE_OPENMARKET_IDENTIFIER")
            }
            guard let secret = attachments.secret ?? client.secret?.value else {
                throw ContractError.missing("secret", "MARQUEE_OPENMARKET_SECRET")
            }
            return switch order {
            case .register(let draft): try await register(draft, attachments.images, secret: secret, of: id)
            case .modify(let product, let change): try await modify(product, change, secret: secret, of: id)
            case .remove(let product): try await remove(product, secret: secret, of: id)
            }
        }
    }

    private func register(
        _ draft: ProductDraft, _ images: [[UInt8]], secret: String, of id: RequestID
    ) async throws -> FetchResult {
        var accepted: [ProductImage] = []
        for (number, bytes) in images.enumerated() {
            do {
                accepted.append(try await ProductImage(bytes, index: number, decoder: decoder))
            } catch let error as ProductValidationError {
                throw ContractError(error)
            }
        }
        let order = client.api.register(draft, images: accepted, secret: secret)
        let product = try await once(id, order) {
            try await client.fetch(client.api.products(page: 1, perPage: 1)).value.products.first?.id.number ?? 0
        } verify: { intent in
            try await client.registeredProduct(
                of: draft, images: images.count, after: intent.newest, secret: secret)
        }
        return FetchResult(product, askedAt: runtime.wallClock.now()) { .product($0) }
    }

    private func modify(
        _ id: ProductID, _ change: ProductChange, secret: String, of request: RequestID
    ) async throws -> FetchResult {
        let product = try await client.fetch(client.api.product(id)).value
        do throws(ProductValidationError) {
            try change.check(against: product)
        } catch {
            throw ContractError(error)
        }
        // The answer is not used: it has no images and may be missing.
        try await once(request, client.api.change(id, change, secret: secret)) { _ in
            try await change.isApplied(to: client.fetch(client.api.product(id)).value) ? () : nil
        }
        let askedAt = runtime.wallClock.now()
        do {
            return FetchResult(try await client.fetch(client.api.product(id)), askedAt: askedAt) { .product($0) }
        } catch let failure as ContractError {
            return FetchResult(problems: [failure], source: .upstream)
        }
    }

    private func remove(_ id: ProductID, secret: String, of request: RequestID) async throws -> FetchResult {
        let known = try await store.read { try $0.latest(.product(id)) }?.data(as: Product.self)
        let product = try await client.fetchIfExists(client.api.product(id))?.value
        if product != nil {
            let key = try await client.fetch(client.api.removalKey(of: id, secret: secret))
            try await once(request, client.api.remove(id, key: key)) { _ in
                try await client.fetchIfExists(client.api.product(id)) == nil ? () : nil
            }
        } else if try await intent(of: request) == nil {
            throw ContractError(.notFound, "product \(id) does not exist")
        }
        let removed = RemovedProduct(id: id, product: product ?? known)
        return FetchResult(fetched: [.productRemoved(removed)], askedAt: runtime.wallClock.now(), source: .upstream)
    }

    /// Sends an order unless it was carried out already; `newest` returns the number of the newest product, and `verify`
    /// the effect of an earlier attempt, or nil if it had none.
    private func once<Value: Sendable>(
        _ id: RequestID, _ order: APICall<Value>, newest: () async throws -> Int = { 0 },
        verify: (OrderIntent) async throws -> Value?
    ) async throws -> Value {
        if let intent = try await intent(of: id), let value = try await check(intent, verify) { return value }
        var failure = ContractError(.internal, "the order was not sent")
        for _ in 0..<Self.maximumAttempts {
            let intent = OrderIntent(begun: runtime.wallClock.now(), newest: try await newest())
            try await store.write { transaction in
                // Another worker that has taken the request over asks the shop itself.
                guard try RequestInbox(transaction).isClaimed(id) else { throw CancellationError() }
                try OrderStore(transaction).insert(intent, of: id)
            }
            runtime.failPoints.reach(.attempted)
            do throws(UpstreamError) {
                return try await client.orderClient.send(order)
            } catch {
                failure = try ContractError(error, at: runtime.wallClock.now())
                guard error.leavesDoubt else { throw failure }
            }
            if let value = try await check(intent, verify) { return value }
        }
        throw failure
    }

    private func intent(of id: RequestID) async throws -> OrderIntent? {
        try await store.read { try OrderStore($0).intent(of: id) }
    }

    /// Returns the effect of an attempt, once the Open Market has had the time to carry it out, or nil if it had none.
    private func check<Value>(
        _ intent: OrderIntent, _ verify: (OrderIntent) async throws -> Value?
    ) async throws -> Value? {
        let elapsed = Duration.seconds(runtime.wallClock.now().timeIntervalSince(intent.begun))
        let rest = min(max(Self.settlingTime - elapsed, .zero), Self.settlingTime)
        if rest > .zero { try await runtime.clock.sleep(for: rest) }
        do {
            return try await verify(intent)
        } catch let failure as ContractError where failure.code != .uncertain {
            throw ContractError(
                .uncertain, "the Open Market may have carried out the order, and the check failed: \(failure.message)",
                upstream: failure.upstream)
        }
    }
}

extension UpstreamError {
    /// Whether the order may have been carried out: there was no answer, or an unclear one.
    fileprivate var leavesDoubt: Bool {
        switch kind {
        case .unavailable, .timeout, .maintenance, .invalid: true
        // Without a status nothing was sent.
        case .wrongAddress: status != nil
        case .badRequest, .notPublished, .notFound, .unauthorized, .forbidden, .quotaExhausted, .cancelled, .internal:
            false
        }
    }
}

extension ContractError {
    fileprivate static func missing(_ field: String, _ variable: String) -> ContractError {
        ContractError(
            .unauthorized, "the Open Market's \(field) is not configured: set \(variable)", field: field,
            upstream: Upstream(service: OpenMarketAPI.service))
    }
}

import Concurrency
import Events
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
struct ProductClerk: Sendable {
    /// How long the market may go on with an order after its connection has ended: a look before that could miss it.
    static let patience = Duration.seconds(5)
    /// How often an order is sent.
    private static let attempts = 2

    let journal: Journal
    let shop: Shop
    let pauses: any Clock<Duration>
    var crashPoints = CrashPoints.none
    private let mutex = AsyncSemaphore(permits: 1)

    /// Carries out an order; throws the `Failure` that says why it was not done.
    func findings(for order: ProductOrder, of id: RequestID) async throws -> Findings {
        try await mutex.withPermit {
            let enclosures = try await journal.enclosures(of: id)
            guard shop.hasIdentifier else { throw Failure.missing("identifier", "MARQUEE_OPENMARKET_IDENTIFIER") }
            guard let secret = enclosures.secret ?? shop.secret?.value else {
                throw Failure.missing("secret", "MARQUEE_OPENMARKET_SECRET")
            }
            var findings: Findings
            switch order {
            case .register(let draft):
                findings = try await register(draft, enclosures.images, secret: secret, of: id)
            case .modify(let product, let change):
                findings = try await modify(product, change, secret: secret, of: id)
            case .remove(let product):
                findings = try await remove(product, secret: secret, of: id)
            }
            findings.source = .upstream
            return findings
        }
    }

    private func register(
        _ draft: ProductDraft, _ images: [[UInt8]], secret: String, of id: RequestID
    ) async throws -> Findings {
        let pictures = try images.enumerated().map { number, bytes in
            do throws(ProductFault) {
                return try ProductPicture(bytes, number: number)
            } catch {
                throw Failure(error)
            }
        }
        let order = shop.api.register(draft, pictures: pictures, secret: secret)
        let product = try await once(id, order) {
            try await shop.ask(shop.api.products(page: 1, perPage: 1)).products.first?.id.number ?? 0
        } found: { attempt in
            try await shop.registration(
                of: draft, pictures: pictures.count, after: attempt.newest, secret: secret)
        }
        return Findings(fetched: [.product(product)], askedAt: shop.clock.now())
    }

    private func modify(
        _ id: ProductID, _ change: ProductChange, secret: String, of request: RequestID
    ) async throws -> Findings {
        let product = try await shop.ask(shop.api.product(id))
        do throws(ProductFault) {
            try change.check(against: product)
        } catch {
            throw Failure(error)
        }
        // Of the answer nothing is taken: it has no pictures, and is not always there.
        try await once(request, shop.api.change(id, change, secret: secret)) { attempt in
            try await change.isMade(in: shop.ask(shop.api.product(id))) ? () : nil
        }
        let askedAt = shop.clock.now()
        do {
            let changed = try await shop.ask(shop.api.product(id))
            return Findings(fetched: [.product(changed)], askedAt: askedAt)
        } catch let failure as Failure {
            return Findings(problems: [failure])
        }
    }

    private func remove(_ id: ProductID, secret: String, of request: RequestID) async throws -> Findings {
        let known = try await journal.known(.product(id))?.event.data(as: Product.self)
        let product = try await shop.find(shop.api.product(id))
        if product != nil {
            let key = try await shop.ask(shop.api.removalKey(of: id, secret: secret))
            try await once(request, shop.api.remove(id, key: key)) { attempt in
                try await shop.find(shop.api.product(id)) == nil ? () : nil
            }
        } else if try await journal.attempt(of: request) == nil {
            throw Failure(.notFound, "there is no product \(id)")
        }
        let removed = RemovedProduct(id: id, product: product ?? known)
        return Findings(fetched: [.productRemoved(removed)], askedAt: shop.clock.now())
    }

    /// Sends an order unless it was carried out already; `found` looks for what an earlier attempt did.
    private func once<Value: Sendable>(
        _ id: RequestID, _ order: Endpoint<Value>, newest: () async throws -> Int = { 0 },
        found: (Attempt) async throws -> Value?
    ) async throws -> Value {
        if let attempt = try await journal.attempt(of: id), let value = try await look(attempt, found) { return value }
        var failure = Failure(.internal, "the order was not sent")
        for _ in 0..<Self.attempts {
            let attempt = Attempt(begun: shop.clock.now(), newest: try await newest())
            try await journal.begin(attempt, of: id)
            crashPoints.reach(.attempted)
            do throws(UpstreamError) {
                return try await shop.orders.send(order)
            } catch {
                failure = try Failure(error, at: shop.clock.now())
                guard error.leavesDoubt else { throw failure }
            }
            if let value = try await look(attempt, found) { return value }
        }
        throw failure
    }

    /// Looks for what an attempt did, once the market has had the time to do it.
    private func look<Value>(_ attempt: Attempt, _ found: (Attempt) async throws -> Value?) async throws -> Value? {
        let elapsed = Duration.seconds(shop.clock.now().timeIntervalSince(attempt.begun))
        let rest = min(max(Self.patience - elapsed, .zero), Self.patience)
        if rest > .zero { try await pauses.sleep(for: rest) }
        do {
            return try await found(attempt)
        } catch let failure as Failure where failure.code != .uncertain {
            throw Failure(
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

extension Failure {
    /// What a client is told where neither it nor the operator has said who sells.
    fileprivate static func missing(_ field: String, _ variable: String) -> Failure {
        Failure(
            .unauthorized, "the market's \(field) is not configured: set \(variable)", field: field,
            upstream: Upstream(service: OpenMarketAPI.service))
    }
}

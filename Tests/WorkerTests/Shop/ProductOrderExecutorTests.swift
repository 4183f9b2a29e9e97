import Concurrency
import Contract
import EventStore
import FoundationEssentials
import Imaging
import Networking
import OpenMarket
import Sandbox
import ServiceRuntime
import TestSupport
import Testing
import Upstreams

@testable import Worker

/// Orders at the sandbox's Open Market over real HTTP; a crash is simulated by what it leaves on disk.
@Suite(.patience) struct ProductOrderExecutorTests {
    private let harness: WorkerHarness
    private let runtime: Runtime
    private let sandbox: SandboxServer
    private let executor: ProductOrderExecutor
    private let market: OpenMarketClient
    private static let image = Bitmap(width: 20, height: 20).encodePNG()

    init() async throws {
        harness = try await WorkerHarness()
        var options = SandboxOptions()
        options.address = "127.0.0.1:0"
        sandbox = try SandboxServer(options: options)
        var runtime = harness.runtime
        // The wall clock stands still, so every look waits; this clock lets it wait no time at all.
        runtime.clock = ImpatientClock()
        self.runtime = runtime
        let client = HTTPClient(retry: .patient)
        market = OpenMarketClient(
            store: harness.store,
            api: OpenMarketAPI(
                url: sandbox.openMarketURL, identifier: SandboxOptions.anyOpenMarketIdentifier),
            queryClient: client, orderClient: HTTPClient(retry: .patient), hasIdentifier: true,
            secret: Secret(SandboxOptions.anyOpenMarketSecret), runtime: runtime)
        executor = ProductOrderExecutor(
            client: market, decoder: ImageDecoder(program: BuiltProgram.path, deadline: .seconds(120)))
    }

    private func draft(_ name: String = "겨울 외투") throws -> ProductDraft {
        try ProductDraft(name: name, description: "따뜻하고 가벼운 외투입니다", price: 15_000, stock: 3)
    }

    /// Sets the sandbox's faults for the Open Market; the seed decides which requests a rate hits.
    private func misbehave(_ switches: String, seed: Int = 1) async throws {
        let request = HTTPRequest(
            "http://\(sandbox.address)/control", method: .put,
            body: Data(#"{"seed":\#(seed),"openmarket":\#(switches)}"#.utf8))
        let status = try await HTTPClient(retry: .patient).send(
            APICall<Int>(service: "sandbox", request: request) { response throws(UpstreamError) in response.status })
        try #require(status == 200)
    }

    /// Accepts an order with its attachments.
    private func accept(
        _ order: ProductOrder, as name: String, _ attachments: Attachments = Attachments(images: [image])
    ) async throws -> AcceptedRequest {
        let accepted = AcceptedRequest(id: try #require(RequestID(name)), request: Request(.productOrder(order)))
        let item = IntakeItem(
            accepted: accepted, frames: accepted.request.frames, attachments: attachments)
        #expect(try await harness.accept([item]) == [.accepted])
        return accepted
    }

    private func carryOut(_ accepted: AcceptedRequest) async throws -> FetchResult {
        guard case .productOrder(let order) = accepted.request.target else { preconditionFailure("no order") }
        let result = try await executor.result(for: order, of: accepted.id)
        #expect(result.source == .upstream)
        return result
    }

    private func product(_ result: FetchResult) throws -> Product {
        guard case .product(let product)? = result.fetched.first else { throw ContractError(.internal, "no product") }
        return product
    }

    private func registered(_ name: String = "겨울 외투") async throws -> Product {
        try product(try await carryOut(accept(.register(draft(name)), as: "register-\(name.utf8.count)")))
    }

    /// The names on the Open Market's first page.
    private func names() async throws -> [String] {
        let result = try await market.result(for: .page(1, perPage: 100))
        guard case .productPage(let page)? = result.fetched.first else { return [] }
        return page.products.map(\.name)
    }

    private func failure(_ body: () async throws -> FetchResult) async throws -> ContractError {
        try await #require(throws: ContractError.self) { _ = try await body() }
    }

    @Test("a product is registered, changed and removed")
    func life() async throws {
        let product = try await registered()
        #expect(try draft().matches(product))
        #expect(product.images?.count == 1)
        let change = try await accept(.modify(product.id, ProductChange(price: 9_000, stock: 0)), as: "modify", .none)
        let changed = try self.product(try await carryOut(change))
        #expect(changed.price == 9_000 && changed.isSoldOut && changed.images == product.images)
        let removal = try await carryOut(accept(.remove(product.id), as: "remove", .none))
        guard case .productRemoved(let removed)? = removal.fetched.first else {
            Issue.record("nothing was removed")
            return
        }
        #expect(removed.product == changed)
        #expect(try await !names().contains("겨울 외투"))
    }

    @Test("a registration that was carried out and whose answer was lost is found and not repeated")
    func lostAnswer() async throws {
        let accepted = try await accept(.register(draft()), as: "a")
        // With this seed the first request, for the newest product, is answered, and the registration is cut short.
        try await misbehave(#"{"truncated":0.5,"times":2}"#, seed: 1)
        let product = try product(try await carryOut(accepted))
        #expect(product.name == "겨울 외투")
        #expect(try await harness.intent(of: accepted.id) != nil)
        #expect(try await names().count { $0 == "겨울 외투" } == 1)
    }

    @Test("after a crash after sending, the product is found; after a crash before it, the product is registered")
    func crash() async throws {
        let newest = try await registered("이미 있는 것").id.number
        let sent = try await accept(.register(draft()), as: "sent")
        try await harness.insert(OrderIntent(begun: WorkerHarness.noon, newest: newest), of: sent.id)
        // What the process did that died: exactly this registration.
        let twin = try await registered()
        #expect(try product(try await carryOut(sent)) == twin)

        let unsent = try await accept(.register(draft("가을 외투")), as: "unsent")
        try await harness.insert(OrderIntent(begun: WorkerHarness.noon, newest: twin.id.number), of: unsent.id)
        #expect(try product(try await carryOut(unsent)).name == "가을 외투")
        let names = try await names()
        #expect(names.count { $0 == "겨울 외투" } == 1 && names.count { $0 == "가을 외투" } == 1)
    }

    @Test("two products that match equally make the registration uncertain")
    func twins() async throws {
        let accepted = try await accept(.register(draft()), as: "a")
        let newest = try await registered("이미 있는 것").id.number
        _ = try product(try await carryOut(accept(.register(draft()), as: "twin-1")))
        _ = try product(try await carryOut(accept(.register(draft()), as: "twin-2")))
        try await harness.insert(OrderIntent(begun: WorkerHarness.noon, newest: newest), of: accepted.id)
        let failure = try await failure { try await carryOut(accepted) }
        #expect(failure.code == .uncertain)
        #expect(!failure.code.isRetryable)
        #expect(try await names().count { $0 == "겨울 외투" } == 2)
    }

    @Test("an order is uncertain if the Open Market does not answer the check")
    func silence() async throws {
        let accepted = try await accept(.register(draft()), as: "a")
        try await harness.insert(OrderIntent(begun: WorkerHarness.noon, newest: 0), of: accepted.id)
        try await misbehave(#"{"errors":{"503":1}}"#)
        let failure = try await failure { try await carryOut(accepted) }
        #expect(failure.code == .uncertain)
        #expect(failure.upstream?.status == 503)
    }

    @Test("an order that was not sent because the market is down is certain to have failed and may be repeated")
    func down() async throws {
        let accepted = try await accept(.register(draft()), as: "a")
        try await misbehave(#"{"errors":{"500":1}}"#)
        let failure = try await failure { try await carryOut(accepted) }
        #expect(failure.code == .maintenance && failure.code.isRetryable)
        #expect(try await harness.intent(of: accepted.id) == nil)
    }

    @Test("a removal that was carried out before a crash is detected by the product's absence")
    func removedBefore() async throws {
        let product = try await registered()
        _ = try await carryOut(accept(.remove(product.id), as: "first", .none))
        let second = try await accept(.remove(product.id), as: "second", .none)
        #expect(try await failure { try await carryOut(second) }.code == .notFound)
        try await harness.insert(OrderIntent(begun: WorkerHarness.noon, newest: 0), of: second.id)
        let result = try await carryOut(second)
        guard case .productRemoved? = result.fetched.first else {
            Issue.record("the removal was not found")
            return
        }
    }

    @Test("a wrong secret, a foreign product and damaged images are refused with the reason")
    func refusals() async throws {
        let product = try await registered()
        let change = try ProductOrder.modify(product.id, ProductChange(stock: 1))
        let wrong = try await accept(change, as: "wrong", Attachments(secret: "not-the-secret"))
        let unauthorized = try await failure { try await carryOut(wrong) }
        #expect(unauthorized.code == .unauthorized && !unauthorized.message.contains("not-the-secret"))

        let foreign = try await accept(
            .modify(try #require(ProductID(3)), ProductChange(stock: 1)), as: "foreign", .none)
        #expect(try await failure { try await carryOut(foreign) }.code == .forbidden)

        let cut = Attachments(images: [Self.image, Array(Self.image.prefix(40))])
        let broken = try await accept(.register(draft()), as: "broken", cut)
        let badRequest = try await failure { try await carryOut(broken) }
        #expect(badRequest.code == .badRequest && badRequest.field == "images[1]")

        let dear = try await accept(.modify(product.id, ProductChange(discount: 99_999)), as: "dear", .none)
        #expect(try await failure { try await carryOut(dear) }.field == "discountedPrice")
    }

    @Test("an HTML page instead of data is maintenance")
    func html() async throws {
        let accepted = try await accept(.register(draft()), as: "a")
        try await misbehave(#"{"notice":1}"#)
        #expect(try await failure { try await carryOut(accepted) }.code == .maintenance)
    }

    @Test("an order's attachments are on disk until its end only, and never in the log")
    func attachments() async throws {
        let accepted = try await accept(
            .register(draft()), as: "a", Attachments(secret: "s3cret", images: [Self.image]))
        #expect(try await harness.attachments(of: accepted.id).secret == "s3cret")
        let failure = try await failure { try await carryOut(accepted) }
        #expect(failure.code == .unauthorized)
        try await harness.settle(accepted, with: failure)
        #expect(try await harness.attachments(of: accepted.id) == .none)
        #expect(try await harness.intent(of: accepted.id) == nil)

        let good = try await accept(.register(draft()), as: "b")
        try await harness.settle(good, with: try await carryOut(good), askedAt: WorkerHarness.noon)
        #expect(try await harness.attachments(of: good.id) == .none)
        #expect(harness.events("product.").count == 1)
        for event in harness.events() { #expect(!String(decoding: event.body, as: UTF8.self).contains("s3cret")) }
    }

    @Test("the catalogue is walked to its end, no product twice, and a page of the log is fresh for a minute")
    func catalogue() async throws {
        let result = try await market.result(for: .catalogue(perPage: 10))
        let products = result.fetched.flatMap { fact -> [Product] in
            if case .productPage(let page) = fact { return page.products }
            return []
        }
        #expect(products.count == 45 && Set(products.map(\.id)).count == 45)
        #expect(result.fetched.count == 5 && result.problems.isEmpty)

        let accepted = try await harness.accept(Request(.products(.page(1, perPage: 5))), as: "page")
        let page = try await market.result(for: .page(1, perPage: 5))
        try await harness.settle(accepted, with: page, askedAt: WorkerHarness.noon)
        for (seconds, isFresh) in [(59.0, true), (60, false)] {
            let fresh = try await harness.store.read { transaction in
                try Freshness(transaction).events(for: accepted.request, at: WorkerHarness.noon + seconds)
            }
            #expect(fresh.isComplete == isFresh && fresh.events.count == (isFresh ? 1 : 0))
        }
        #expect(try await failure { try await market.result(for: .page(99, perPage: 5)) }.code == .notFound)
    }

    @Test("a fresh product is published again by the commit that accepts the request, but not once it was removed")
    func fresh() async throws {
        let id = try #require(ProductID(3))
        let first = try await harness.accept(Request(.products(.product(id))), as: "first")
        try await harness.settle(first, with: market.result(for: .product(id)), askedAt: WorkerHarness.noon)
        try await harness.accept(Request(.products(.product(id))), as: "again")
        #expect(harness.topics.suffix(3) == ["request.accepted.again", "product.3", "request.done.again"])
        let removal = try await harness.accept(Request(.products(.product(id)), refresh: true), as: "removal")
        let removed = FetchResult(fetched: [.productRemoved(RemovedProduct(id: id, product: nil))], source: .upstream)
        try await harness.settle(removal, with: removed, askedAt: WorkerHarness.noon)
        try await harness.accept(Request(.products(.product(id))), as: "late")
        #expect(harness.topics.last == "request.accepted.late")
    }
}

/// A clock on which every pause is over at once.
private struct ImpatientClock: Clock {
    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
    }
}

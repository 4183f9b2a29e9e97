import BoxOffice
import Contract
import EventStore
import Foundation
import JSONCoding
import Messaging
import OpenMarket
import TestSupport
import Testing
import YAML

@testable import Notifier

/// What fires when the shop's products change.
@Suite(.patience) struct ProductAlertTests {
    private let opened = Date(timeIntervalSince1970: 1_795_242_180)  // 2026-11-21 15:23 in Korea

    private static let all: [any ProductRule] = [
        PriceFellRule(), PriceRoseRule(), NewDiscountRule(), SoldOutRule(), BackInStockRule(), NewProductRule(),
        ProductRemovedRule(),
    ]

    private func rules(_ rules: [any ProductRule] = all) -> AlertRules {
        AlertRules([], products: rules.map { ConfiguredProductRule($0) })
    }

    private func product(
        _ number: Int = 1, price: Decimal = 10_000, discount: Decimal = 0, stock: Int = 3, currency: Currency = .won,
        created: String = "2022-01-04T00:00:00.00"
    ) throws -> Product {
        let time = try #require(OpenMarketTime(created))
        return Product(
            id: try #require(ProductID(number)), vendor: Product.Vendor(id: 3, name: nil), name: "팥빙수",
            thumbnailURL: "https://market/1.png", currency: currency, price: price, discount: discount,
            bargainPrice: price - discount, stock: stock, created: time, issued: time)
    }

    private func evidence(_ number: UInt64 = 7) -> Alert.Evidence {
        Alert.Evidence(stream: .product, sequence: SequenceNumber(number) ?? .zero)
    }

    /// The alerts for a product that was one thing and is another, a minute later.
    private func alerts(_ before: Product, _ now: Product, by rules: AlertRules) throws -> [Alert] {
        var productStates = ProductStates(began: opened)
        #expect(productStates.apply([before], at: opened).isEmpty)
        let observations = productStates.apply([now], at: opened + 60)
        return rules.alerts(about: observations, on: KoreanDate(at: opened), evidence: evidence())
    }

    private func words(_ before: Product, _ now: Product) throws -> [AlertRule] {
        try alerts(before, now, by: rules()).map(\.rule)
    }

    @Test("the product rules compare a product's former and new state")
    func changes() throws {
        let plain = try product()
        #expect(try words(plain, plain) == [])
        #expect(try words(plain, product(price: 9_000)) == ["priceFell"])
        #expect(try words(plain, product(price: 9_001)) == [])
        #expect(try words(plain, product(price: 11_000)) == ["priceRose"])
        #expect(try words(plain, product(price: 10_999)) == [])
        #expect(try words(plain, product(discount: 500)) == ["newDiscount"])
        #expect(try words(plain, product(discount: 1_000)) == ["priceFell", "newDiscount"])
        #expect(try words(product(discount: 500), product(discount: 600)) == [])
        #expect(try words(plain, product(stock: 0)) == ["soldOut"])
        #expect(try words(product(stock: 0), plain) == ["backInStock"])
        #expect(try words(product(price: 0), plain) == [])
    }

    @Test("prices in two currencies are not compared")
    func currencies() throws {
        #expect(try words(product(), product(price: 8, currency: .dollar)) == [])
        #expect(try words(product(), product(price: 8, discount: 1, currency: .dollar)) == ["newDiscount"])
        let dollars = try product(price: 999.99, currency: .dollar)
        let alert = try #require(try alerts(dollars, product(price: 650, currency: .dollar), by: rules()).first)
        #expect(alert.text.ko == "‘팥빙수’ 999.99달러→650달러 ▼34.9%")
        #expect(alert.text.en == "팥빙수 is down 34.9% to USD 650 (from USD 999.99)")
        #expect(alert.values["previousBargainPrice"] == .amount(999.99))
    }

    @Test("an alert about a product has the product, its event, its figures and a text in both languages")
    func alert() throws {
        let alert = try #require(try alerts(product(), product(price: 1_690_000), by: rules()).first)
        #expect(alert.id == "priceRose.1.2026-11-21.product.7")
        #expect(alert.topic?.description == "alert.priceRose.1.2026-11-21")
        #expect(alert.text.ko == "‘팥빙수’ 10,000원→1,690,000원 ▲16800%")
        #expect(alert.title == "팥빙수" && alert.product?.number == 1 && alert.movieCode == nil)
        #expect(alert.values["bargainPrice"] == .amount(1_690_000) && alert.values["currency"] == .text("KRW"))
        let written = String(decoding: alert.json, as: UTF8.self)
        #expect(written.contains(#""product":1,"#) && written.contains(#""movieCode":null"#))
        let read = try JSON.decode(Alert.self, from: Array(written.utf8))
        #expect(String(decoding: read.json, as: UTF8.self) == written)
        #expect(Topic("alert.priceRose.1.2026-11-21") == alert.topic)
    }

    @Test("the first product event fires nothing; products registered after it are new")
    func firstLook() throws {
        var productStates = ProductStates(began: opened)
        #expect(productStates.apply(try (1...20).map { try product($0) }, at: opened).isEmpty)
        // The second page: older products that were not seen before.
        #expect(productStates.apply(try (21...40).map { try product($0) }, at: opened + 60).isEmpty)
        let new = try product(41, created: "2026-11-21T15:24:00.00")
        #expect(productStates.apply([new], at: opened + 120).map(\.isNew) == [true])
        #expect(productStates.apply([new], at: opened + 180).isEmpty)
        let overlooked = try product(42, created: "2026-11-21T16:00:00.00")
        #expect(productStates.apply([overlooked], at: opened + 8 * 86_400).isEmpty)
    }

    @Test("a removed product fires once, also an unknown one, and is not new when it comes back")
    func removed() throws {
        var productStates = ProductStates(began: opened)
        _ = productStates.apply([try product()], at: opened)
        let id = try #require(ProductID(1))
        let gone = productStates.apply(RemovedProduct(id: id, product: nil), at: opened + 60)
        let alerts = rules().alerts(about: gone, on: KoreanDate(at: opened), evidence: evidence())
        #expect(alerts.map(\.text.ko) == ["‘팥빙수’ 판매 종료"])
        #expect(productStates.apply(RemovedProduct(id: id, product: nil), at: opened + 120).isEmpty)
        #expect(productStates.apply([try product(created: "2026-11-21T15:24:00.00")], at: opened + 180).isEmpty)
        let stranger = productStates.apply(
            RemovedProduct(id: try #require(ProductID(9)), product: nil), at: opened + 60)
        let untold = rules().alerts(about: stranger, on: KoreanDate(at: opened), evidence: evidence())
        #expect(untold.map(\.text.ko) == ["9번 상품 판매 종료"] && untold.map(\.title) == [nil])
    }

    @Test("the later of two events counts, in whatever order they are read")
    func order() throws {
        var productStates = ProductStates(began: opened)
        _ = productStates.apply([try product()], at: opened)
        #expect(productStates.apply([try product(stock: 0)], at: opened + 60).count == 1)
        #expect(productStates.apply([try product(stock: 2)], at: opened + 30).isEmpty)
    }

    @Test("the rule file sets the products, the threshold in percent, the severity and the texts")
    func file() throws {
        let file = try RuleFile.read(
            Array(
                """
                movies: [AAAAAAAA]
                rules:
                  lead:
                  priceFell: {by: 20, products: [1], text: {ko: "{title}{이/가} {bargainPrice}{으로/로}"}}
                  soldOut: {names: [빙 수], severity: major}
                  newProduct: false
                """.utf8), file: "rules.yml")
        #expect(file.rules.names == ["lead", "priceFell", "soldOut"])
        #expect(try alerts(product(), product(price: 8_001), by: file.rules).isEmpty)
        let fell = try alerts(product(), product(price: 8_000), by: file.rules)
        #expect(fell.map(\.text.ko) == ["팥빙수가 8,000원으로"])
        #expect(try alerts(product(2), product(2, price: 1), by: file.rules).isEmpty)
        #expect(try alerts(product(2), product(2, stock: 0), by: file.rules).map(\.severity) == [.major])
        do {
            _ = try RuleFile.read(
                Array("rules: {priceFell: {by: 0, movies: [A]}, soldOut: {products: [x]}, newDiscount: {by: 3}}".utf8),
                file: "f")
            Issue.record("the diagnostics were not seen")
        } catch {
            #expect(error.diagnostics.count == 4)
        }
    }

    // MARK: Over restarts

    private let folder = Result { try TemporaryFolder() }

    private func withStore<Value>(
        at now: Date? = nil, _ body: (NotifierStore) async throws -> Value
    ) async throws -> Value {
        try await withNotifierStore(in: folder.get(), at: now ?? opened, body)
    }

    private func event(_ number: Int, _ product: Product, at time: Date) throws -> Event {
        let draft = try EventDraft(.product(product.id), encoding: product)
        let sequence = String(repeating: "0", count: 16 - String(number).count) + String(number)
        let body = """
            {"specversion":"1.0","id":"\(number)","source":"/marquee/worker","type":"marquee.product.v1",\
            "subject":"\(product.id)","time":"\(Timestamp.text(time))","datacontenttype":"application/json",\
            "stream":"product","epoch":"e","sequence":"\(sequence)","previous":"0000000000000000","data":\
            \(String(decoding: draft.data, as: UTF8.self))}
            """
        return try Event(topic: draft.topic, body: Array(body.utf8))
    }

    /// Lets a notifier with these rules read what comes after what was read, and returns the new alerts' ids.
    private func read(_ events: [Event], by rules: AlertRules, at now: Date? = nil) async throws -> [String] {
        try await withStore(at: now) { store in
            var alertState = try await store.loadAlertState(rules: rules, since: nil)
            var decisions: [Decision] = []
            let place = alertState.position?.streams[.product]?.after ?? .zero
            for event in events where event.sequence > place {
                decisions += alertState.apply([try event.data(as: Product.self)], from: event)
                alertState.position = LogCursor(
                    epoch: "e", streams: [.product: StreamCursor(after: event.sequence)])
            }
            return try await store.record(decisions, changes: alertState.drainChanges()).map(\.alert.id)
        }
    }

    @Test("each change fires once, also across restarts, and the baseline fires nothing")
    func restarts() async throws {
        let states = [3, 0, 2, 2, 0].map { try? product(stock: $0) }.compactMap(\.self)
        let events = try states.enumerated().map { index, product in
            try event(index + 1, product, at: opened + Double(60 * index - 90))
        }
        var ids: [String] = []
        for count in 1...events.count { ids += try await read(Array(events.prefix(count)), by: rules()) }
        // The first two are from before the notifier was started.
        #expect(ids == ["backInStock.1.2026-11-21.product.3", "soldOut.1.2026-11-21.product.5"])
    }

    @Test("for rules about products added later, existing products are baseline, and later changes fire")
    func laterRules() async throws {
        var events = [try event(1, product(stock: 3), at: opened + 1), try event(2, product(stock: 0), at: opened + 2)]
        #expect(try await read(events, by: AlertRules()) == [])
        #expect(try await read(events, by: rules(), at: opened + 10) == [])
        events.append(try event(3, product(stock: 1), at: opened + 11))
        #expect(try await read(events, by: rules(), at: opened + 20) == ["backInStock.1.2026-11-21.product.3"])
        // Without them nothing is remembered, so that nothing old is taken for new.
        #expect(try await read(events, by: AlertRules(), at: opened + 30) == [])
        events.append(try event(4, product(stock: 0), at: opened + 31))
        #expect(try await read(events, by: rules(), at: opened + 40) == [])
    }

    @Test("a late chart does not retract the alert about its anomaly, even after a restart")
    func anomaly() async throws {
        let rules = AlertRules([ConfiguredRule(AnomalyRule())])
        let day = try #require(KoreanDate(year: 2024, month: 6, day: 4))
        let anomaly = Anomaly(.late, of: day, in: .all, expected: 1, found: 0, text: "The chart is late.")
        try await withStore { store in
            var alertState = try await store.loadAlertState(rules: rules, since: nil)
            let alert = try #require(
                rules.alert(about: anomaly, evidence: Alert.Evidence(stream: .anomaly, sequence: .zero)))
            let event = try event(1, product(), at: opened + 1)
            _ = try await store.record(
                [Decision(alert: alert, event: event)], changes: alertState.drainChanges())
        }
        try await withStore { store in
            var alertState = try await store.loadAlertState(rules: rules, since: nil)
            #expect(alertState.apply(try .june(4, [.movie("A", line: 1)])) == [])
        }
    }
}

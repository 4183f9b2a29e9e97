import Foundation
import Testing

@testable import OpenMarket

@Suite struct ValuesTests {
    @Test(arguments: [
        ("2022-01-04T00:00:00.00", "2022-01-04T00:00:00+09:00"),
        ("2021-12-29 00:00:00.000", "2021-12-29T00:00:00+09:00"),
        ("2022-01-19T08:25:27.27", "2022-01-19T08:25:27.270+09:00"),
        ("2022-11-04T00:00:00", "2022-11-04T00:00:00+09:00"),
        ("2024-02-29T23:59:59.123456", "2024-02-29T23:59:59.123+09:00"),
        ("2022-01-19T08:25:27.5", "2022-01-19T08:25:27.500+09:00"),
    ])
    func everyFormatOfATimeIsRead(_ text: String, _ form: String) {
        #expect(OpenMarketTime(text)?.description == form)
        #expect(OpenMarketTime(form) == OpenMarketTime(text))
    }

    @Test(arguments: [
        "", "2022-01-04", "2022-13-04T00:00:00", "2023-02-29T00:00:00", "2022-01-04T24:00:00", "2022-01-04T00:00:00.",
        "2022-01-04T00:00:00Z", "2022-01-04T00:00:0x", "+022-01-04T00:00:00", "2022-01-04T00:00:00.1234567890",
    ])
    func anInvalidTimeIsNil(_ text: String) {
        #expect(OpenMarketTime(text) == nil)
    }

    @Test func timesAreOrdered() throws {
        let earlier = try #require(OpenMarketTime("2022-01-19T08:25:27.27"))
        let later = try #require(OpenMarketTime("2022-01-19 08:25:27.271"))
        #expect(earlier < later)
    }

    @Test(arguments: ["1": 1, "2094": 2094]) func aProductIDIsRead(_ text: String, _ number: Int) {
        #expect(ProductID(text)?.number == number)
    }

    @Test(arguments: ["", "0", "-1", "01", "+1", "1.0", "1 ", "99999999999999999999"])
    func anInvalidProductIDIsNil(_ text: String) {
        #expect(ProductID(text) == nil)
    }

    @Test(arguments: [
        (Price(1_690_000, .won), "KRW 1,690,000"), (Price(999.99, .dollar), "USD 999.99"), (Price(0, .won), "KRW 0"),
        (Price(-1_234.5, .dollar), "USD -1,234.5"), (Price(123, .won), "KRW 123"),
    ])
    func aPriceIsPrintedWithCurrencyAndSeparators(_ price: Price, _ text: String) {
        #expect(price.description == text)
    }

    @Test func aProductSurvivesEncodingWithEveryField() throws {
        var product = Sample.product(price: Decimal(string: "999.99") ?? 0)
        product.currency = .dollar
        let json = try JSONEncoder().encode(product)
        #expect(try JSONDecoder().decode(Product.self, from: json) == product)
        let fields = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
        #expect(fields.count == 14)
        #expect(fields["description"] is NSNull)
        #expect(fields["images"] is NSNull)
        #expect(String(decoding: json, as: UTF8.self).contains(#""price":999.99"#))
    }

    @Test func aPageHasEachProductOnce() {
        let products = [3, 2, 3, 1, 2].map { Sample.product($0) }
        let page = ProductPage(page: 1, perPage: 5, total: 3, lastPage: 2, products: products)
        #expect(page.products.map(\.id.number) == [3, 2, 1])
        #expect(page.hasNext)
    }

    @Test func aPageHasTheNumbersThatTheMarketSends() throws {
        // As in Tests/Recordings/openmarket/v3/list-page2-of-325.json.
        let page = ProductPage(page: 2, perPage: 10, total: 325, lastPage: 33, products: [Sample.product()])
        let fields = try #require(
            try JSONSerialization.jsonObject(with: try JSONEncoder().encode(page)) as? [String: Any])
        let numbers = ["pageNo", "itemsPerPage", "totalCount", "offset", "limit", "lastPage"].map { fields[$0] as? Int }
        #expect(numbers == [2, 10, 325, 10, 20, 33])
        #expect(fields["hasNext"] as? Bool == true && fields["hasPrev"] as? Bool == true)
    }

    @Test func aPageOfAnyNumberCanBeWritten() throws {
        let page = ProductPage(page: .max, perPage: 100, total: 0, lastPage: 1, products: [])
        #expect(try JSONDecoder().decode(ProductPage.self, from: try JSONEncoder().encode(page)) == page)
    }

    @Test func aDraftMatchesTheProductItBecame() throws {
        let draft = try ProductDraft(name: "팥빙수", description: "시원한 팥빙수 한 그릇", price: 1_000, stock: 3)
        var product = Sample.product()
        #expect(draft.matches(product))
        product.description = "다른 설명입니다"
        #expect(!draft.matches(product))
        #expect(!draft.matches(Sample.product(stock: 2)))
    }
}

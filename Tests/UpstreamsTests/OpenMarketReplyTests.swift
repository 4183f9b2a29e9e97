import FoundationEssentials
import Networking
import OpenMarket
import TestSupport
import Testing

@testable import Upstreams

private let market = OpenMarketAPI(url: "http://127.0.0.1:9", identifier: "vendor-identifier")

extension ProductID {
    fileprivate static func number(_ number: Int) -> ProductID {
        guard let id = ProductID(number) else { preconditionFailure("\(number) is no product") }
        return id
    }
}

/// Returns the error that an endpoint throws for a response; nil if it returns.
private func failure<Value>(_ endpoint: APICall<Value>, _ response: HTTPResponse) -> UpstreamError? {
    do throws(UpstreamError) {
        _ = try endpoint.read(response)
        return nil
    } catch {
        return error
    }
}

@Suite struct RecordedMarketTests {
    @Test func everyRecordedListIsRead() throws {
        for path in try Recorded.files(in: "openmarket/v3") where path.contains("list") {
            let page = try market.products(page: 1, perPage: 20).read(HTTPResponse(body: Recorded.data(path))).value
            #expect(!page.products.isEmpty)
            #expect(page.products.allSatisfy { $0.images == nil && $0.bargainPrice == $0.price - $0.discount })
        }
    }

    @Test func everyRecordedProductIsRead() throws {
        for path in try Recorded.files(in: "openmarket/v3") where path.contains("product-") {
            let digits = path.split(separator: "-")[1].prefix(while: \.isNumber)
            let id = try #require(ProductID(digits))
            let product = try market.product(id).read(HTTPResponse(body: Recorded.data(path))).value
            #expect(product.images?.isEmpty == false)
            #expect(product.vendor.name != nil)
        }
    }

    @Test func pricesAreExactInBothCurrencies() throws {
        let page = try market.products(page: 2, perPage: 10).read(
            HTTPResponse(body: Recorded.data("openmarket/v3/list-page2-of-325.json"))
        ).value
        let product = try #require(page.products.first { $0.id == .number(573) })
        #expect(product.currency == .dollar)
        #expect(product.price == Decimal(string: "999.99"))
        #expect(product.discount == Decimal(string: "99.99"))
        #expect(page.total == 325)
        #expect(page.lastPage == 33)
        #expect(page.hasNext)
    }

    @Test func theDatesOfAllYearsAreRead() throws {
        let early = try market.product(.number(16)).read(
            HTTPResponse(body: Recorded.data("openmarket/v3/product-16-early.json"))
        ).value
        let late = try market.product(.number(16)).read(
            HTTPResponse(body: Recorded.data("openmarket/v3/product-16.json"))
        ).value
        #expect(early.created == late.created)
        #expect(early == late)
        let fresh = try market.product(.number(536)).read(
            HTTPResponse(body: Recorded.data("openmarket/v3/product-536.json"))
        ).value
        #expect(fresh.created.description == "2022-01-19T08:25:27.270+09:00")
    }

    @Test func aSpringErrorKeepsItsMessage() throws {
        let reason = "Failed to parse multipart servlet request; nested exception is java.io.IOException"
        let body = #"{"code":400,"message":"\#(reason)"}"#
        let error = failure(market.product(.number(1)), Sample.response(body, status: 400))
        #expect(error?.kind == .badRequest)
        #expect(error?.code == "400")
        #expect(error?.message.contains(reason) == true)
    }
}

@Suite struct OpenMarketReplyTests {
    @Test("a number of products or pages that cannot be counts as missing", arguments: ["-1", "9223372036854775807"])
    func numbersOfAPage(number: String) throws {
        let body = #"{"pages":[],"total_count":\#(number),"last_page":\#(number)}"#
        let page = try market.products(page: 1, perPage: 20).read(Sample.response(body)).value
        #expect(page.total == 0)
        #expect(page.lastPage == 1)
    }

    @Test func aPagePastTheLastIsNotFound() throws {
        let nothing = HTTPResponse(status: 204)
        #expect(failure(market.products(page: 7, perPage: 20), nothing)?.kind == .notFound)
        #expect(try market.products(page: 1, perPage: 20).read(nothing).value.products.isEmpty)
    }

    @Test(arguments: [200, 500, 503]) func anHTMLPageIsMaintenance(_ status: Int) {
        let response = Sample.response("<html><body>점검 중</body></html>", status: status)
        #expect(failure(market.products(page: 1, perPage: 20), response)?.kind == .maintenance)
        #expect(failure(market.removalKey(of: .number(1), secret: "s3cret"), response)?.kind == .maintenance)
        #expect(failure(market.change(.number(1), .empty, secret: "s3cret"), response)?.kind == .maintenance)
    }

    @Test(arguments: [(302, UpstreamError.Kind.wrongAddress), (400, .badRequest), (404, .notFound)])
    func anHTMLPageWithAnotherStatusIsWhatTheStatusSays(_ status: Int, _ kind: UpstreamError.Kind) {
        let response = Sample.response("<html><body></body></html>", status: status)
        #expect(failure(market.products(page: 1, perPage: 20), response)?.kind == kind)
    }

    @Test func plainTextIsReadWhateverItsLabel() throws {
        #expect(try market.health().read(Sample.response("OK\n")))
        let label = [HTTPField("Content-Type", "text/html")]
        #expect(try market.health().read(Sample.response("OK", headers: label)))
        try market.change(.number(1), .empty, secret: "s3cret").read(Sample.response("", headers: label))
        let key = try market.removalKey(of: .number(5), secret: "s3cret").read(Sample.response("ab12-cd34"))
        #expect(key.secret == "ab12-cd34")
        let removal = market.remove(.number(5), key: key).request
        #expect(removal.url == "http://127.0.0.1:9/api/products/5/ab12-cd34")
    }

    @Test(arguments: ["", "{\"a\":1}", ".", "..", "/a", "a/../b", "a b", "../../5/x", "a?b=c", "a#b", "%2e%2e"])
    func anInvalidRemovalKeyIsRejected(_ text: String) {
        #expect(failure(market.removalKey(of: .number(5), secret: "s3cret"), Sample.response(text))?.kind == .invalid)
    }

    @Test func aProductOtherThanTheRequestedOneIsInvalid() throws {
        let body = """
            {"id":2,"vendor_id":1,"name":"a","thumbnail":"","currency":"KRW","price":1,"bargain_price":1,
            "discounted_price":0,"stock":0,"created_at":"2022-11-04T00:00:00","issued_at":"2022-11-04T00:00:00"}
            """
        let error = failure(market.product(.number(1)), Sample.response(body))
        #expect(error?.kind == .invalid)
        #expect(error?.field == "id")
    }

    @Test("An optional field that cannot be read costs neither the product nor the page, and is named")
    func unreadable() throws {
        let product = """
            "vendor_id":"x","name":"a","thumbnail":7,"currency":"KRW","price":1,"stock":0,"description":[],
            "created_at":"2022-11-04T00:00:00","issued_at":"2022-11-04T00:00:00",
            "images":[{"id":"x"},{"id":2,"url":"http://a.kr/2","thumbnail_url":"http://a.kr/t"}]
            """
        let body = #"{"pages":[{"id":1,\#(product)},{"id":2,\#(product)}],"total_count":"two","last_page":1}"#
        let reading = try market.products(page: 1, perPage: 20).read(Sample.response(body))
        let page = reading.value
        #expect(page.products.map(\.id) == [.number(1), .number(2)] && page.total == 2)
        #expect(page.products[0].description == nil && page.products[0].thumbnailURL == "")
        #expect(page.products[0].images?.map(\.id) == [2])
        #expect(
            reading.unreadable.map(\.path) == [
                "pages[0].vendor_id", "pages[0].description", "pages[0].thumbnail", "pages[0].images[0].id",
                "total_count",
            ])
        #expect(reading.unreadable.map(\.count) == [2, 2, 2, 2, 1])
    }

    @Test func aFieldThatCannotBeDecodedIsNamed() {
        let body = #"{"pages":[{"id":1,"name":"a","currency":"JPY","price":1,"stock":1}]}"#
        let error = failure(market.products(page: 1, perPage: 20), Sample.response(body))
        #expect(error?.kind == .invalid)
        #expect(error?.field == "pages[0].currency")
    }

    @Test func theSecretIsInNoTextAboutARequest() throws {
        let draft = try ProductDraft(name: "팥빙수", description: "시원한 팥빙수 한 그릇", price: 1_000)
        let requests = [
            market.register(draft, images: [], secret: "s3cret").request,
            market.change(.number(1), try ProductChange(stock: 1), secret: "s3cret").request,
            market.removalKey(of: .number(1), secret: "s3cret").request,
            market.remove(.number(1), key: try RemovalKey("s3cret")).request,
        ]
        for request in requests {
            #expect(!request.description.contains("s3cret"))
            #expect(!request.description.contains("vendor-identifier"))
            var text = ""
            dump(request, to: &text)
            #expect(!text.contains("s3cret"))
        }
    }
}

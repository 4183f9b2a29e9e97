import FoundationEssentials
public import Networking
public import OpenMarket

/// The Open Market's API of the third or fourth generation: lists, products, and a vendor's changes to its own
/// products.
///
/// It makes requests and reads responses into domain types but sends nothing itself. Drafts and changes were validated
/// when they were created. The API's times have no zone, and its prices can have any number of decimals.
public struct OpenMarketAPI: Sendable {
    /// The service's name in errors and metrics.
    public static let service = "openmarket"

    /// The generation of the API. The two are incompatible.
    public enum Generation: String, Sendable, CaseIterable {
        /// The API of 2022.
        case v3
        /// The API of October 2022 and later.
        case v4
    }

    let url: String
    let generation: Generation
    let identifier: HTTPField

    /// Creates the API.
    ///
    /// - Parameters:
    /// - url: The base URL, without `/api`.
    /// - identifier: The vendor's identifier, which is secret.
    public init(url: String, generation: Generation, identifier: String) {
        self.url = url
        self.generation = generation
        self.identifier = HTTPField("identifier", identifier, isSecret: true)
    }

    /// Returns the endpoint that checks whether the service is up: it replies `OK`.
    public func health() -> APICall<Bool> {
        text(HTTPRequest("\(url)/healthChecker")) { text throws(UpstreamError) in text == "OK" }
    }

    /// Returns the endpoint of a page of the list, newest products first.
    ///
    /// Past the last page the service replies without a body, which is the error `notFound`; a first page without
    /// products is empty.
    public func products(page: Int, perPage: Int) -> APICall<Reading<ProductPage>> {
        let query = [HTTPField("page_no", "\(page)"), HTTPField("items_per_page", "\(perPage)")]
        let request = HTTPRequest("\(url)/api/products", query: query)
        return APICall(service: Self.service, request: request) { response throws(UpstreamError) in
            if response.status == 204 {
                guard page == 1 else {
                    throw UpstreamError(
                        service: Self.service, kind: .notFound, message: "the list has no page \(page)", status: 204)
                }
                let page = ProductPage(page: 1, perPage: perPage, total: 0, lastPage: 1, products: [])
                return Reading(value: page, unreadable: [])
            }
            return try OpenMarketReply.read(OpenMarketPage.self, from: response).page(page, perPage: perPage)
        }
    }

    /// Returns the endpoint of a product with its images.
    public func product(_ id: ProductID) -> APICall<Reading<Product>> {
        product(HTTPRequest("\(url)/api/products/\(id)"), id)
    }

    /// Returns the endpoint that registers a product with its images; its value is the registered product.
    public func register(_ draft: ProductDraft, images: [ProductImage], secret: String) -> APICall<Reading<Product>> {
        let params = OpenMarketRequestBody(draft, generation: generation, secret: secret)
        var form = [MultipartPart("params", contentType: "application/json", content: params.json)]
        form += images.enumerated().map { $1.formPart(number: $0 + 1) }
        let request = HTTPRequest(
            "\(url)/api/products", secrets: [secret], method: .post, headers: [identifier], form: form)
        return product(request, nil)
    }

    /// Returns the endpoint that changes a product. The reply is not the whole product and is ignored.
    ///
    /// An empty change only checks the secret.
    public func change(_ id: ProductID, _ change: ProductChange, secret: String) -> APICall<Void> {
        let body = OpenMarketRequestBody(change, generation: generation, secret: secret)
        let request = write("\(url)/api/products/\(id)", .patch, body.json, secret: secret)
        return APICall(service: Self.service, request: request) { response throws(UpstreamError) in
            try OpenMarketReply.throwIfFailed(response)
        }
    }

    /// Returns the endpoint of the key by which a product can be removed: the product's secret in the third generation,
    /// a path with the secret in the fourth.
    public func removalKey(of id: ProductID, secret: String) -> APICall<RemovalKey> {
        let call = generation == .v3 ? "secret" : "archived"
        let body = OpenMarketRequestBody(.empty, generation: generation, secret: secret)
        let request = write("\(url)/api/products/\(id)/\(call)", .post, body.json, secret: secret)
        return text(request) { [generation, url] text throws(UpstreamError) in
            try RemovalKey(text, of: id, generation: generation, url: url)
        }
    }

    /// Returns the endpoint that removes a product by its key.
    public func remove(_ id: ProductID, key: RemovalKey) -> APICall<Void> {
        let request = HTTPRequest(
            key.url, secrets: [key.secret], method: .delete, headers: [identifier])
        return APICall(service: Self.service, request: request) { response throws(UpstreamError) in
            try OpenMarketReply.throwIfFailed(response)
        }
    }

    private func write(_ url: String, _ method: HTTPRequest.Method, _ json: Data, secret: String) -> HTTPRequest {
        HTTPRequest(
            url, secrets: [secret], method: method,
            headers: [identifier, HTTPField("Content-Type", "application/json")], body: json)
    }

    /// Returns an endpoint whose value is a product; it fails as `invalid` if the reply is not the product `id`.
    private func product(_ request: HTTPRequest, _ id: ProductID?) -> APICall<Reading<Product>> {
        APICall(service: Self.service, request: request) { response throws(UpstreamError) in
            let reply = try OpenMarketReply.read(OpenMarketProduct.self, from: response)
            let product = reply.product
            guard id == nil || product.id == id else {
                throw UpstreamError(
                    service: Self.service, kind: .invalid,
                    message: "the service answered with the product \(product.id)", status: response.status, field: "id"
                )
            }
            return Reading(value: product, unreadable: reply.unreadable)
        }
    }

    /// Returns an endpoint whose value is read from plain text.
    private func text<Value>(
        _ request: HTTPRequest, read: @escaping @Sendable (String) throws(UpstreamError) -> Value
    ) -> APICall<Value> {
        APICall(service: Self.service, request: request) { response throws(UpstreamError) in
            try read(OpenMarketReply.text(of: response))
        }
    }
}

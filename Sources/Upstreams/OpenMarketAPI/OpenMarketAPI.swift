import FoundationEssentials
public import Networking
public import OpenMarket

/// The Open Market's API in its third or fourth generation: lists, products, and what a vendor may do to its own.
///
/// It says what to ask and reads the answers into the domain's words; it sends nothing itself. What is registered or
/// changed was checked when it was made. The market's times have no zone, its prices any number of decimals.
public struct OpenMarketAPI: Sendable {
    /// What errors and metrics call it.
    public static let service = "openmarket"

    /// Which of the market's generations is spoken; a client of one does not work with another.
    public enum Generation: String, Sendable, CaseIterable {
        /// The one of 2022.
        case v3
        /// The one of 2022-10 and later.
        case v4
    }

    let url: String
    let generation: Generation
    let identifier: HTTPField

    /// Makes the API at `url` (up to and without `/api`), asked as the vendor with `identifier`.
    public init(url: String, generation: Generation, identifier: String) {
        self.url = url
        self.generation = generation
        self.identifier = HTTPField("identifier", identifier, isSecret: true)
    }

    /// Whether the market is up: it answers `OK`.
    public func health() -> Endpoint<Bool> {
        text(HTTPRequest("\(url)/healthChecker")).map { $0 == "OK" }
    }

    /// A page of the list, the newest products first.
    ///
    /// Past the last page the market answers without a body, which is `notFound`; a first page without products is empty.
    public func products(page: Int, perPage: Int, matching words: String? = nil) -> Endpoint<ProductPage> {
        var query = [HTTPField("page_no", "\(page)"), HTTPField("items_per_page", "\(perPage)")]
        if let words, generation == .v4 { query.append(HTTPField("search_value", words)) }
        let request = HTTPRequest("\(url)/api/products", query: query)
        return Endpoint(service: Self.service, request: request) { response throws(UpstreamError) in
            if response.status == 204 {
                guard page == 1 else {
                    throw UpstreamError(
                        service: Self.service, kind: .notFound, message: "there is no page \(page)", status: 204)
                }
                return ProductPage(page: 1, perPage: perPage, total: 0, lastPage: 1, products: [])
            }
            return try OpenMarketReply.read(OpenMarketPage.self, from: response).page(page, perPage: perPage)
        }
    }

    /// A product with its pictures.
    public func product(_ id: ProductID) -> Endpoint<Product> {
        product(HTTPRequest("\(url)/api/products/\(id)"), id)
    }

    /// Registers a product with its pictures, and answers with what it became.
    public func register(_ draft: ProductDraft, images: [ProductImage], secret: String) -> Endpoint<Product> {
        let params = OpenMarketRequestBody(draft, generation: generation, secret: secret)
        var form = [MultipartPart("params", contentType: "application/json", content: params.json)]
        form += images.enumerated().map { $1.formPart(number: $0 + 1) }
        let request = HTTPRequest(
            "\(url)/api/products", secrets: [secret], method: .post, headers: [identifier], form: form)
        return product(request, nil)
    }

    /// Changes a product. What the market answers is not the whole product, and nothing is made of it.
    ///
    /// A change of nothing checks the secret: the market takes it if the secret is right.
    public func change(_ id: ProductID, _ change: ProductChange, secret: String) -> Endpoint<Void> {
        let body = OpenMarketRequestBody(change, generation: generation, secret: secret)
        let request = write("\(url)/api/products/\(id)", .patch, body.json, secret: secret)
        return Endpoint(service: Self.service, request: request) { response throws(UpstreamError) in
            try OpenMarketReply.refuse(response)
        }
    }

    /// Asks for the key with which a product can be removed; the third generation gives the product's own secret, the
    /// fourth the path to it.
    public func removalKey(of id: ProductID, secret: String) -> Endpoint<RemovalKey> {
        let call = generation == .v3 ? "secret" : "archived"
        let body = OpenMarketRequestBody(.nothing, generation: generation, secret: secret)
        let request = write("\(url)/api/products/\(id)/\(call)", .post, body.json, secret: secret)
        return text(request).tryMap { [generation, url] text throws(UpstreamError) in
            try RemovalKey(text, of: id, generation: generation, url: url)
        }
    }

    /// Removes a product by its key.
    public func remove(_ id: ProductID, key: RemovalKey) -> Endpoint<Void> {
        let request = HTTPRequest(
            key.url, secrets: [key.secret], method: .delete, headers: [identifier])
        return Endpoint(service: Self.service, request: request) { response throws(UpstreamError) in
            try OpenMarketReply.refuse(response)
        }
    }

    private func write(_ url: String, _ method: HTTPRequest.Method, _ json: Data, secret: String) -> HTTPRequest {
        HTTPRequest(
            url, secrets: [secret], method: method,
            headers: [identifier, HTTPField("Content-Type", "application/json")], body: json)
    }

    /// A question that is answered with a product, `id` if that is known.
    private func product(_ request: HTTPRequest, _ id: ProductID?) -> Endpoint<Product> {
        Endpoint(service: Self.service, request: request) { response throws(UpstreamError) in
            let product = try OpenMarketReply.read(OpenMarketProduct.self, from: response).product
            guard id == nil || product.id == id else {
                throw UpstreamError(
                    service: Self.service, kind: .invalid, message: "answered with the product \(product.id)",
                    status: response.status, field: "id")
            }
            return product
        }
    }

    /// A question that is answered with plain text.
    private func text(_ request: HTTPRequest) -> Endpoint<String> {
        Endpoint(service: Self.service, request: request) { response throws(UpstreamError) in
            try OpenMarketReply.text(of: response)
        }
    }
}

extension Endpoint {
    /// The endpoint whose value is made of this one's.
    fileprivate func map<Other>(_ transform: @escaping @Sendable (Value) -> Other) -> Endpoint<Other> {
        tryMap { value throws(UpstreamError) in transform(value) }
    }

    /// The endpoint whose value is made of this one's, if it can be.
    fileprivate func tryMap<Other>(
        _ transform: @escaping @Sendable (Value) throws(UpstreamError) -> Other
    ) -> Endpoint<Other> {
        Endpoint<Other>(service: service, request: request) { response throws(UpstreamError) in
            try transform(read(response))
        }
    }
}

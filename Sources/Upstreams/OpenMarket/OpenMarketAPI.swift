import FoundationEssentials
public import Networking
public import OpenMarket
import Text

/// The Open Market's API: lists, products, and a vendor's changes to its own products.
///
/// It makes requests and reads responses into domain types but sends nothing itself. Drafts and changes were validated
/// when they were created. The API's times have no zone, and its prices can have any number of decimals.
public struct OpenMarketAPI: Sendable {
    /// The service's name in errors and metrics.
    public static let service = "openmarket"

    private let url: String
    private let identifier: HTTPField

    /// Creates the API at a base URL, which is without `/api`, for a vendor's secret identifier.
    public init(url: String, identifier: String) {
        self.url = url
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
        let params = OpenMarketRequestBody(draft, secret: secret)
        var form = [MultipartPart("params", contentType: "application/json", content: params.json)]
        form += images.enumerated().map { $1.formPart(number: $0 + 1) }
        let request = HTTPRequest(
            "\(url)/api/products", secrets: [secret], method: .post, headers: [identifier], form: form)
        return product(request, nil)
    }

    /// Returns the endpoint that changes a product; an empty change only checks the secret.
    public func change(_ id: ProductID, _ change: ProductChange, secret: String) -> APICall<Void> {
        let body = OpenMarketRequestBody(change, secret: secret)
        let request = write("\(url)/api/products/\(id)", .patch, body.json, secret: secret)
        return APICall(service: Self.service, request: request) { response throws(UpstreamError) in
            try OpenMarketReply.throwIfFailed(response)
        }
    }

    /// Returns the endpoint of the secret by which a product can be removed.
    public func removalKey(of id: ProductID, secret: String) -> APICall<RemovalKey> {
        let body = OpenMarketRequestBody(.empty, secret: secret)
        let request = write("\(url)/api/products/\(id)/secret", .post, body.json, secret: secret)
        return text(request) { text throws(UpstreamError) in try RemovalKey(text) }
    }

    /// Returns the endpoint that removes a product by its key.
    public func remove(_ id: ProductID, key: RemovalKey) -> APICall<Void> {
        let request = HTTPRequest(
            "\(url)/api/products/\(id)/\(key.secret)", secrets: [key.secret], method: .delete, headers: [identifier])
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

    private func text<Value>(
        _ request: HTTPRequest, read: @escaping @Sendable (String) throws(UpstreamError) -> Value
    ) -> APICall<Value> {
        APICall(service: Self.service, request: request) { response throws(UpstreamError) in
            try read(OpenMarketReply.text(of: response))
        }
    }
}

// MARK: - Requests

/// A request body in JSON: the `params` of a registration, the body of a change, or the secret alone, which is an empty
/// change. Fields that are nil are left out.
struct OpenMarketRequestBody: Encodable {
    private let name, description: String?
    private let thumbnail, stock: Int?
    private let currency: Currency?
    private let price, discount: Decimal?
    private let secret: String

    private enum CodingKeys: String, CodingKey {
        case name, price, currency, stock, secret
        case description = "descriptions"
        case thumbnail = "thumbnail_id"
        case discount = "discounted_price"
    }

    init(_ draft: ProductDraft, secret: String) {
        name = draft.name
        description = draft.description
        thumbnail = nil
        price = draft.price
        currency = draft.currency
        discount = draft.discount
        stock = draft.stock
        self.secret = secret
    }

    init(_ change: ProductChange, secret: String) {
        name = change.name
        description = change.description
        thumbnail = change.thumbnail
        price = change.price
        currency = change.currency
        discount = change.discount
        stock = change.stock
        self.secret = secret
    }

    var json: Data {
        do {
            return try JSONEncoder().encode(self)
        } catch {
            preconditionFailure(
                "OpenMarketRequestBody holds only text and finite numbers, but cannot be encoded: \(error)")
        }
    }
}

/// The secret part of the URL by which a product's vendor can remove it.
public struct RemovalKey: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    let secret: String

    /// Reads the reply, which must be one plain segment of a path.
    init(_ text: String) throws(UpstreamError) {
        // The reply is untrusted: a separator or dot segment in it could lead to another call.
        guard !text.isEmpty, text.utf8.count <= 1_024, text != ".", text != "..", text.allSatisfy(Self.isPlain) else {
            throw UpstreamError(
                service: OpenMarketAPI.service, kind: .invalid,
                message: "the response is not a removal key", status: 200)
        }
        secret = text
    }

    private static func isPlain(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "-_.~!$&'()*+,;=:@".contains(character))
    }

    /// `***`: the key is secret.
    public var description: String { Redactor.mark }

    /// The mirror that `dump` prints: `***`.
    public var customMirror: Mirror { Mirror(self, children: ["key": description]) }
}

// MARK: - Replies

/// Reads the service's replies: JSON, plain text, Spring's errors, and HTML pages.
enum OpenMarketReply {
    private struct SpringError: Decodable {
        let code, status: Int?
        let message, error: String?
    }

    /// Decodes a response of any status as JSON; throws if it is an error.
    static func read<Value: Decodable>(
        _ type: Value.Type, from response: HTTPResponse
    ) throws(UpstreamError) -> Value {
        try throwIfFailed(response)
        return try response.decode(of: OpenMarketAPI.service)
    }

    /// Reads a response of plain text; throws if it is an error, HTML or JSON.
    static func text(of response: HTTPResponse) throws(UpstreamError) -> String {
        try throwIfFailed(response)
        let bytes = response.body.prefix(4_096)
        let text = String(validating: bytes, as: UTF8.self)?.trimmed ?? ""
        guard !text.isEmpty, !text.hasPrefix("{") else {
            throw UpstreamError(
                service: OpenMarketAPI.service, kind: .invalid, message: "the response is not plain text",
                status: response.status)
        }
        // Some replies put the text in quotes, like JSON.
        return text.count > 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
            ? String(text.dropFirst().dropLast()) : text
    }

    /// Throws if the response is an error, or a notice in HTML.
    static func throwIfFailed(_ response: HTTPResponse) throws(UpstreamError) {
        let service = OpenMarketAPI.service
        // Plain text is often labelled as HTML.
        if response.isMarkup, response.mayBeNotice {
            throw UpstreamError(
                service: service, kind: .maintenance,
                message: "the service answered \(response.status) with an HTML page instead of data",
                status: response.status)
        }
        guard var failure = response.failure(of: service) else { return }
        // A body that is not Spring's error object adds nothing to the status; neither does one that is long.
        if response.body.count <= 64 << 10, let error = try? JSONDecoder().decode(SpringError.self, from: response.body)
        {
            failure.code = (error.code ?? error.status).map(String.init)
            if let reason = error.message ?? error.error {
                failure.message += ": \(String(reason.clean.prefix(300)))"
            }
        }
        throw failure
    }
}

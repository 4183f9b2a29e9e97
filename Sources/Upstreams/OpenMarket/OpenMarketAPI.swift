import FoundationEssentials
public import Imaging
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
            try OpenMarketReply.throwIfFailed(response)
            return try response.decode(OpenMarketPage.self, of: Self.service).page(page, perPage: perPage)
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
        return acknowledgement(of: write("\(url)/api/products/\(id)", .patch, body.json, secret: secret))
    }

    /// Returns the endpoint of the secret by which a product can be removed.
    public func removalKey(of id: ProductID, secret: String) -> APICall<RemovalKey> {
        let body = OpenMarketRequestBody(.empty, secret: secret)
        let request = write("\(url)/api/products/\(id)/secret", .post, body.json, secret: secret)
        return text(request) { text throws(UpstreamError) in try RemovalKey(text) }
    }

    /// Returns the endpoint that removes a product by its key.
    public func remove(_ id: ProductID, key: RemovalKey) -> APICall<Void> {
        acknowledgement(
            of: HTTPRequest(
                "\(url)/api/products/\(id)/\(key.secret)", secrets: [key.secret], method: .delete,
                headers: [identifier]))
    }

    private func acknowledgement(of request: HTTPRequest) -> APICall<Void> {
        APICall(service: Self.service, request: request) { response throws(UpstreamError) in
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
            try OpenMarketReply.throwIfFailed(response)
            let reply = try response.decode(OpenMarketProduct.self, of: Self.service)
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

    var json: Data {
        do {
            return try JSONEncoder().encode(self)
        } catch {
            preconditionFailure(
                "OpenMarketRequestBody holds only text and finite numbers, but cannot be encoded: \(error)")
        }
    }
}

extension OpenMarketRequestBody {
    init(_ draft: ProductDraft, secret: String) {
        self.init(
            name: draft.name, description: draft.description, thumbnail: nil, stock: draft.stock,
            currency: draft.currency, price: draft.price, discount: draft.discount, secret: secret)
    }

    init(_ change: ProductChange, secret: String) {
        self.init(
            name: change.name, description: change.description, thumbnail: change.thumbnail, stock: change.stock,
            currency: change.currency, price: change.price, discount: change.discount, secret: secret)
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

/// An image that the Open Market accepts: a whole JPEG or PNG of at most 300 KB.
public struct ProductImage: Hashable, Sendable {
    let format: ImageHeader.Format
    /// The file's bytes.
    public let bytes: [UInt8]

    /// Maximum width and height in pixels of an image that was scaled down.
    private static let longestSide = 2_000

    /// What is made of an image that is too large: a JPEG within the market's limit.
    private static let shrunk = ImageDecoder.Target(
        width: longestSide, height: longestSide, quality: 82, bytes: ProductConstraints.imageBytes)
    /// What is made of an image that is sent unchanged, to see that all of it can be decoded.
    private static let glance = ImageDecoder.Target(width: 1, height: 1, quality: 82)

    /// Checks an image by its headers, without decoding it; the error names its position in the request, `index`.
    public static func check(_ bytes: [UInt8], index: Int) throws(ProductValidationError) {
        let field = "images[\(index)]"
        guard let header = ImageHeader.read(bytes), header.format == .jpeg || header.format == .png else {
            throw ProductValidationError(field: field, "the image is not a JPEG or PNG, or has too many pixels")
        }
        guard ImageDecoder.canDecode(bytes, to: bytes.count <= ProductConstraints.imageBytes ? glance : shrunk) else {
            throw ProductValidationError(field: field, damaged)
        }
    }

    private static let damaged =
        "the image is damaged or truncated, has more than 32 scans, or needs more than 64 MB to be decoded"

    /// Checks an image, decodes it once, and scales it down if it is too large for the Open Market.
    ///
    /// Every image is decoded, so that a damaged one is refused before anything is sent. Throws as `check`, or
    /// `ImageDecoder.ImageDecoderError` if nothing can be said about the image.
    public init(_ bytes: [UInt8], index: Int, decoder: ImageDecoder) async throws {
        try Self.check(bytes, index: index)
        let isSmall = bytes.count <= ProductConstraints.imageBytes
        guard let decoded = try await decoder.jpeg(of: bytes, isSmall ? Self.glance : Self.shrunk) else {
            throw ProductValidationError(field: "images[\(index)]", Self.damaged)
        }
        format = isSmall ? ImageHeader.read(bytes)?.format ?? .jpeg : .jpeg
        self.bytes = isSmall ? bytes : decoded
    }

    /// Returns the image as a part of a registration's form; `number` (from 1) becomes its file name.
    func formPart(number: Int) -> MultipartPart {
        MultipartPart(
            "images", fileName: "\(number).\(format.rawValue)", contentType: format.contentType, content: Data(bytes))
    }
}

// MARK: - Replies

/// Reads the service's replies: JSON, plain text, Spring's errors, and HTML pages.
enum OpenMarketReply {
    private struct SpringError: Decodable {
        let code, status: Int?
        let message, error: String?
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

import Concurrency
import FoundationEssentials
import Imaging
import JSONCoding
import WebServer

/// Simulates the third and the fourth generation of the Open Market over one store: paths, identifiers, secrets and
/// errors.
final class OpenMarketHandler: Sendable {
    /// A generation of the API; the raw value is its path component.
    enum Generation: String {
        case v3
        case v4
    }

    static let prefix = "/openmarket"

    private let store: Locked<SimulatedShop>

    init(options: SandboxOptions, opened: Date) {
        let vendor = SimulatedShop.Vendor(
            id: 1, name: "marquee", identifier: SandboxOptions.anyOpenMarketIdentifier,
            secret: SandboxOptions.anyOpenMarketSecret)
        store = Locked(
            SimulatedShop(seed: options.seed, vendors: [vendor] + OpenMarketSeedData.otherVendors, opened: opened))
    }

    /// Returns the response to a call; image addresses in it begin with `base`.
    func respond(to request: WebRequest, base: String, at instant: Date) -> WebResponse {
        let words = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(2).map(String.init)
        if words.first == "media" { return media(request, Array(words.dropFirst())) }
        guard let generation = words.first.flatMap(Generation.init(rawValue:)) else {
            return .html(HTMLPage.notFound, status: 404)
        }
        let encoder = OpenMarketResponseEncoder(generation: generation, base: "\(base)\(Self.prefix)", now: instant)
        do throws(OpenMarketError) {
            return try respond(to: request, Array(words.dropFirst()), encoder, at: instant)
        } catch {
            return error.response
        }
    }

    /// Returns a request's path for the counters, without the secret at the end of a removal's path.
    static func pathWithoutSecret(_ request: WebRequest) -> String {
        guard request.method == "DELETE", request.path.hasPrefix(prefix) else { return request.path }
        return request.path.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/***"
    }

    private func respond(
        to request: WebRequest, _ words: [String], _ encoder: OpenMarketResponseEncoder, at instant: Date
    ) throws(OpenMarketError) -> WebResponse {
        switch (request.method, words.count) {
        case ("GET", 1) where words[0] == "healthChecker": return .text("OK")
        case (_, 2...) where words[0] == "api" && words[1] == "products": break
        default: return .html(HTMLPage.notFound, status: 404)
        }
        let rest = Array(words.dropFirst(2))
        switch (request.method, rest.count) {
        case ("GET", 0): return list(request, encoder)
        case ("POST", 0): return try register(request, encoder, at: instant)
        case ("GET", 1): return encoder.response(try product(rest[0]))
        case ("PATCH", 1): return try modify(request, rest[0], encoder, at: instant)
        case ("POST", 2): return try removalPath(request, rest, encoder.generation)
        case ("DELETE", 1...2): return try remove(request, rest, encoder)
        default:
            return OpenMarketError(status: 405, message: "Request method '\(request.method)' not supported").response
        }
    }

    private func list(_ request: WebRequest, _ encoder: OpenMarketResponseEncoder) -> WebResponse {
        let page = max(1, request.query("page_no").flatMap { Int($0) } ?? 1)
        let size = max(1, min(100, request.query("items_per_page").flatMap { Int($0) } ?? 20))
        let all = store.withLock { $0.products.values.sorted { $0.id > $1.id } }
        let (offset, overflows) = (page - 1).multipliedReportingOverflow(by: size)
        guard !overflows, offset < all.count else {
            return WebResponse(status: 204, contentType: "application/json", body: .bytes([]))
        }
        // The `limit` is the end of the page. The fourth generation uses it as a count, so its pages overlap.
        let count = encoder.generation == .v4 ? offset + size : size
        return encoder.response(Array(all[offset...].prefix(count)), page: page, size: size, total: all.count)
    }

    private func register(
        _ request: WebRequest, _ encoder: OpenMarketResponseEncoder, at instant: Date
    ) throws(OpenMarketError) -> WebResponse {
        let vendor = try vendor(of: request)
        guard let multipart = MultipartForm(request) else { throw .noForm }
        guard let params = multipart.contents("params").first else { throw .missingPart("params") }
        let form = try productForm(params, "ProductCreationParams")
        let images = multipart.contents("images")
        guard (1...5).contains(images.count) else { throw .missingPart("images") }
        guard images.allSatisfy({ $0.count <= 300 << 10 }) else { throw .tooLarge }
        guard let name = form.name, !name.isEmpty, form.description(in: encoder.generation) != nil, form.price != nil,
            form.currency != nil, form.isValid
        else { throw .unreadable("ProductCreationParams") }
        guard form.secret == vendor.secret else { throw .wrongSecret }
        let product = store.withLock { store in
            let count = images.reduce(0) { $0 + $1.count }
            return store.hasRoom(for: count) ? store.register(form, images: images, by: vendor, at: instant) : nil
        }
        guard let product else { throw .tooLarge }
        return encoder.response(product, status: 201)
    }

    private func modify(
        _ request: WebRequest, _ word: String, _ encoder: OpenMarketResponseEncoder, at instant: Date
    ) throws(OpenMarketError) -> WebResponse {
        let vendor = try vendor(of: request)
        let form = try productForm(request.body, "ProductModifyParams")
        let id = try ownProductID(word, of: vendor, secret: form.secret)
        if !form.isValid { throw .unreadable("ProductModifyParams") }
        guard let product = store.withLock({ $0.modify(id, form, at: instant) }) else { throw .unknownProduct }
        return encoder.response(product, withImages: false)
    }

    private func removalPath(
        _ request: WebRequest, _ rest: [String], _ generation: Generation
    ) throws(OpenMarketError) -> WebResponse {
        guard rest[1] == (generation == .v3 ? "secret" : "archived") else {
            return .html(HTMLPage.notFound, status: 404)
        }
        let vendor = try vendor(of: request)
        let id = try ownProductID(rest[0], of: vendor, secret: try productForm(request.body, "SecretParams").secret)
        let secret = try product(String(id)).removalSecret
        return .text(generation == .v3 ? secret : "/api/products/\(id)_\(secret)")
    }

    private func remove(
        _ request: WebRequest, _ rest: [String], _ encoder: OpenMarketResponseEncoder
    ) throws(OpenMarketError) -> WebResponse {
        let vendor = try vendor(of: request)
        let words = encoder.generation == .v3 ? rest : rest[0].split(separator: "_", maxSplits: 1).map(String.init)
        guard words.count == 2 else { throw .unknownProduct }
        let product = try product(words[0])
        guard product.vendor == vendor else { throw .foreignProduct }
        guard product.removalSecret == words[1] else { throw .wrongSecret }
        guard let removed = store.withLock({ $0.remove(product.id) }) else { throw .unknownProduct }
        return encoder.response(removed)
    }

    private func vendor(of request: WebRequest) throws(OpenMarketError) -> SimulatedShop.Vendor {
        guard let identifier = request.header("identifier"), let vendor = store.withLock({ $0.vendor(identifier) })
        else {
            throw .unknownVendor
        }
        return vendor
    }

    private func product(_ word: String) throws(OpenMarketError) -> SimulatedShop.Product {
        guard let id = Int(word), let product = store.withLock({ $0.products[id] }) else { throw .unknownProduct }
        return product
    }

    /// Returns the id of a product.
    ///
    /// - Throws: `OpenMarketError` if it does not exist, belongs to another vendor, or the secret is wrong.
    private func ownProductID(_ word: String, of vendor: SimulatedShop.Vendor, secret: String?)
        throws(OpenMarketError) -> Int
    {
        let product = try product(word)
        guard product.vendor == vendor else { throw .foreignProduct }
        guard secret == vendor.secret else { throw .wrongSecret }
        return product.id
    }

    private func productForm(_ json: [UInt8], _ type: String) throws(OpenMarketError) -> ProductForm {
        do {
            return try JSONDecoder().decode(ProductForm.self, from: Data(json))
        } catch {
            throw .unreadable(type)
        }
    }

    /// Serves `media/<size>/<name>`: an uploaded image unchanged, or a drawn one.
    private func media(_ request: WebRequest, _ words: [String]) -> WebResponse {
        guard request.method == "GET", words.count == 2, ["origin", "thumb"].contains(words[0]) else {
            return .html(HTMLPage.notFound, status: 404)
        }
        let (upload, isKnown) = store.withLock { store in
            (store.uploads[words[1]], store.products.values.contains { $0.images.contains { $0.name == words[1] } })
        }
        if let upload {
            let isPNG = upload.starts(with: [0x89, 0x50])
            return WebResponse(contentType: isPNG ? "image/png" : "image/jpeg", body: .bytes(upload))
        }
        guard isKnown else { return .html(HTMLPage.notFound, status: 404) }
        let side = words[0] == "thumb" ? 200 : 800
        return WebResponse(
            contentType: "image/jpeg", body: .bytes(Bitmap(ofProductImage: words[1], side: side).encodeJPEG()))
    }
}

/// An error of the market, in the format of Spring.
struct OpenMarketError: Error, Hashable {
    let status: Int
    let message: String

    static let unknownVendor = OpenMarketError(status: 401, message: "등록되지 않은 identifier 입니다.")
    static let wrongSecret = OpenMarketError(status: 401, message: "secret 이 일치하지 않습니다.")
    static let foreignProduct = OpenMarketError(status: 403, message: "본인이 등록한 상품이 아닙니다.")
    static let unknownProduct = OpenMarketError(status: 404, message: "존재하지 않는 상품입니다.")
    static let tooLarge = OpenMarketError(
        status: 400, message: "Maximum upload size exceeded; the image must not be larger than 307200 bytes")

    static func unreadable(_ type: String) -> OpenMarketError {
        OpenMarketError(
            status: 400,
            message:
                "JSON parse error: Cannot construct instance of `kr.yagom.market.\(type)`, problem: unreadable value")
    }

    static func missingPart(_ name: String) -> OpenMarketError {
        OpenMarketError(status: 400, message: "Required request part '\(name)' is not present")
    }

    static let noForm = OpenMarketError(
        status: 400,
        message: "Failed to parse multipart servlet request; nested exception is java.io.IOException: "
            + "org.apache.tomcat.util.http.fileupload.FileUploadException: the request was rejected because no multipart "
            + "boundary was found")

    /// Returns the error with a status; 400 if `code` is not a status.
    static func recorded(_ code: String) -> OpenMarketError {
        switch code {
        case "401": wrongSecret
        case "403": foreignProduct
        case "404": unknownProduct
        default:
            OpenMarketError(status: Int(code).flatMap { (400...599).contains($0) ? $0 : nil } ?? 400, message: "error")
        }
    }

    var response: WebResponse {
        .json(JSONTree.object([("code", .number(status)), ("message", .string(message))]).json, status: status)
    }
}

import BoxOffice
import Concurrency
import FoundationEssentials
import Imaging
import JSONCoding
import WebServer

/// Simulates the Open Market: paths, identifiers, secrets and errors.
final class OpenMarketHandler: Sendable {
    static let prefix = "/openmarket"
    static let path = "\(prefix)/v3"

    private let store: Locked<SimulatedShop>

    init(options: SandboxOptions, opened: Date) {
        store = Locked(SimulatedShop(seed: options.seed, opened: opened))
    }

    func respond(to request: WebRequest, base: String, at instant: Date) -> WebResponse {
        let words = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(2).map(String.init)
        if words.first == "media" { return media(request, Array(words.dropFirst())) }
        let products = OpenMarketResponses(base: "\(base)\(Self.prefix)", now: instant)
        do throws(OpenMarketError) {
            return try respond(to: request, words, products, at: instant)
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
        to request: WebRequest, _ words: [String], _ responses: OpenMarketResponses, at instant: Date
    ) throws(OpenMarketError) -> WebResponse {
        if request.method == "GET", words == ["v3", "healthChecker"] { return .text("OK") }
        guard words.starts(with: ["v3", "api", "products"]) else { return .html(HTMLPage.notFound, status: 404) }
        let rest = Array(words.dropFirst(3))
        switch (request.method, rest.count) {
        case ("GET", 0): return list(request, responses)
        case ("POST", 0): return try register(request, responses, at: instant)
        case ("GET", 1): return responses.response(try product(rest[0]))
        case ("PATCH", 1): return try modify(request, rest[0], responses, at: instant)
        case ("POST", 2) where rest[1] == "secret":
            let vendor = try vendor(of: request)
            let form = try productForm(request.body, "SecretParams")
            return .text(try ownProduct(rest[0], of: vendor, secret: form.secret).removalSecret)
        case ("POST", 2): return .html(HTMLPage.notFound, status: 404)
        case ("DELETE", 2): return try remove(request, rest, responses)
        default:
            return OpenMarketError(status: 405, message: "Request method '\(request.method)' not supported").response
        }
    }

    private func list(_ request: WebRequest, _ responses: OpenMarketResponses) -> WebResponse {
        let page = max(1, request.query("page_no").flatMap { Int($0) } ?? 1)
        let size = max(1, min(100, request.query("items_per_page").flatMap { Int($0) } ?? 20))
        let all = store.withLock { $0.products.values.sorted { $0.id > $1.id } }
        let (offset, overflows) = (page - 1).multipliedReportingOverflow(by: size)
        guard !overflows, offset < all.count else {
            return WebResponse(status: 204, contentType: "application/json", body: .bytes([]))
        }
        return responses.response(Array(all[offset...].prefix(size)), page: page, size: size, total: all.count)
    }

    private func register(
        _ request: WebRequest, _ responses: OpenMarketResponses, at instant: Date
    ) throws(OpenMarketError) -> WebResponse {
        let vendor = try vendor(of: request)
        guard let multipart = MultipartForm(request) else { throw .noForm }
        guard let params = multipart.contents("params").first else { throw .missingPart("params") }
        let form = try productForm(params, "ProductCreationParams")
        let images = multipart.contents("images")
        guard (1...5).contains(images.count) else { throw .missingPart("images") }
        guard images.allSatisfy({ $0.count <= 300 << 10 }) else { throw .tooLarge }
        guard let name = form.name, !name.isEmpty, form.description != nil, form.price != nil, form.currency != nil,
            form.isValid
        else { throw .unreadable("ProductCreationParams") }
        guard form.secret == vendor.secret else { throw .wrongSecret }
        let product = store.withLock { store in
            let count = images.reduce(0) { $0 + $1.count }
            return store.hasRoom(for: count) ? store.register(form, images: images, by: vendor, at: instant) : nil
        }
        guard let product else { throw .tooLarge }
        return responses.response(product, status: 201)
    }

    private func modify(
        _ request: WebRequest, _ word: String, _ responses: OpenMarketResponses, at instant: Date
    ) throws(OpenMarketError) -> WebResponse {
        let vendor = try vendor(of: request)
        let form = try productForm(request.body, "ProductModifyParams")
        let id = try ownProduct(word, of: vendor, secret: form.secret).id
        if !form.isValid { throw .unreadable("ProductModifyParams") }
        guard let product = store.withLock({ $0.modify(id, form, at: instant) }) else { throw .unknownProduct }
        return responses.response(product, withImages: false)
    }

    private func remove(
        _ request: WebRequest, _ words: [String], _ responses: OpenMarketResponses
    ) throws(OpenMarketError) -> WebResponse {
        let vendor = try vendor(of: request)
        let product = try product(words[0])
        guard product.vendor == vendor else { throw .foreignProduct }
        guard product.removalSecret == words[1] else { throw .wrongSecret }
        guard let removed = store.withLock({ $0.remove(product.id) }) else { throw .unknownProduct }
        return responses.response(removed)
    }

    private func vendor(of request: WebRequest) throws(OpenMarketError) -> SimulatedShop.Vendor {
        let identifier = request.header("identifier")
        guard let vendor = SimulatedShop.vendors.first(where: { $0.identifier == identifier }) else {
            throw .unknownVendor
        }
        return vendor
    }

    private func product(_ word: String) throws(OpenMarketError) -> SimulatedShop.Product {
        guard let id = Int(word), let product = store.withLock({ $0.products[id] }) else { throw .unknownProduct }
        return product
    }

    /// Returns a product; throws if it belongs to another vendor, or the secret is wrong.
    private func ownProduct(
        _ word: String, of vendor: SimulatedShop.Vendor, secret: String?
    ) throws(OpenMarketError) -> SimulatedShop.Product {
        let product = try product(word)
        guard product.vendor == vendor else { throw .foreignProduct }
        guard secret == vendor.secret else { throw .wrongSecret }
        return product
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

/// The responses about products, with the recorded order of keys and formats.
private struct OpenMarketResponses {
    let base: String
    let now: Date

    func response(_ product: SimulatedShop.Product, status: Int = 200, withImages: Bool = true) -> WebResponse {
        .json(object(product, isInList: false, withImages: withImages).json, status: status)
    }

    func response(_ products: [SimulatedShop.Product], page: Int, size: Int, total: Int) -> WebResponse {
        let last = (total + size - 1) / size
        // The limit is the end of the page.
        let (offset, limit) = ((page - 1) * size, page * size)
        let (hasNext, hasPrevious) = (page < last, page > 1)
        let list: OrderedObject = [
            "page_no": page, "items_per_page": size, "total_count": total, "offset": offset,
            "limit": limit, "last_page": last, "has_next": hasNext, "has_prev": hasPrevious,
            "pages": products.map { object($0, isInList: true, withImages: false) },
        ]
        return .json(list.json)
    }

    private func object(_ product: SimulatedShop.Product, isInList: Bool, withImages: Bool) -> OrderedObject {
        let thumbnail = product.images.first { $0.id == product.thumbnail } ?? product.images[0]
        let vendor: OrderedObject = ["id": product.vendor.id, "name": product.vendor.name]
        // 999.99 − 99.99 is 900, not 899.9999….
        let bargain = ((product.price - product.discount) * 100).rounded() / 100
        var object: OrderedObject = ["id": product.id, "vendor_id": product.vendor.id, "name": product.name]
        if !isInList { object.append(["description": product.description]) }
        object.append([
            "thumbnail": address(of: thumbnail, "thumb"), "currency": product.currency, "price": product.price,
            "bargain_price": bargain, "discounted_price": product.discount, "stock": product.stock,
            "created_at": text(of: product.created), "issued_at": text(of: product.issued),
        ])
        if withImages { object.append(["images": product.images.map { image($0, of: product) }]) }
        if !isInList { object.append(["vendors": vendor]) }
        return object
    }

    private func image(_ image: SimulatedShop.Image, of product: SimulatedShop.Product) -> OrderedObject {
        [
            "id": image.id, "url": address(of: image, "origin"), "thumbnail_url": address(of: image, "thumb"),
            "succeed": true, "issued_at": text(of: product.created),
        ]
    }

    private func address(of image: SimulatedShop.Image, _ size: String) -> String {
        "\(base)/media/\(size)/\(image.name)"
    }

    /// Returns a time in the shop's format: a day, with the time if it is today; the fraction repeats the seconds.
    private func text(of instant: Date) -> String {
        let day = KoreanDate(at: instant)
        guard day == KoreanDate(at: now) else { return "\(day)T00:00:00.00" }
        let seconds = Int(instant.timeIntervalSince(day.start))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(day)T\(two(seconds / 3_600)):\(two(seconds / 60 % 60)):\(two(seconds % 60)).\(two(seconds % 60))"
    }
}

/// An error of the shop, in the format of Spring.
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
        .json((["code": status, "message": message] as OrderedObject).json, status: status)
    }
}

import Concurrency
import FoundationEssentials
import WebServer

/// Plays the Open Market in its third and its fourth generation, side by side over one shop: paths, identifiers, secrets,
/// errors, and the habits of each.
final class OpenMarketHandler: Sendable {
    /// Which of the market's generations is played, by the word in the path.
    enum Generation: String {
        case v3
        case v4
    }

    static let prefix = "/openmarket"

    private let shop: Locked<OpenMarketStore>

    init(options: SandboxOptions, opened: Date) {
        let vendor = OpenMarketStore.Vendor(
            id: 1, name: "marquee", identifier: options.openMarketIdentifier, secret: options.openMarketSecret)
        shop = Locked(
            OpenMarketStore(seed: options.seed, vendors: [vendor] + OpenMarketSeedData.neighbours, opened: opened))
    }

    /// Answers a call; addresses of pictures begin with `base`.
    func answer(_ request: WebRequest, base: String, at instant: Date) -> WebResponse {
        let words = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(2).map(String.init)
        if words.first == "media" { return image(request, words.dropFirst().map(\.self)) }
        guard let generation = words.first.flatMap(Generation.init(rawValue:)) else {
            return .html(MaintenancePage.notFound, status: 404)
        }
        let scribe = OpenMarketResponseEncoder(generation: generation, base: "\(base)\(Self.prefix)", now: instant)
        do throws(OpenMarketError) {
            return try answer(request, Array(words.dropFirst()), generation, scribe, at: instant)
        } catch {
            return error.response
        }
    }

    /// The path of a request without the secret that some have at their end, for whoever counts requests.
    static func pathWithoutSecret(_ request: WebRequest) -> String {
        guard request.method == "DELETE", request.path.hasPrefix(prefix) else { return request.path }
        return request.path.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/***"
    }

    private func answer(
        _ request: WebRequest, _ words: [String], _ generation: Generation, _ scribe: OpenMarketResponseEncoder,
        at instant: Date
    ) throws(OpenMarketError) -> WebResponse {
        switch (request.method, words.count) {
        case ("GET", 1) where words[0] == "healthChecker": return .text("OK")
        case (_, 2...) where words[0] == "api" && words[1] == "products": break
        default: return .html(MaintenancePage.notFound, status: 404)
        }
        let rest = Array(words.dropFirst(2))
        switch (request.method, rest.count) {
        case ("GET", 0): return list(request, generation, scribe)
        case ("POST", 0): return try register(request, generation, scribe, at: instant)
        case ("GET", 1): return scribe.answer(try product(rest[0]))
        case ("PATCH", 1): return try modify(request, rest[0], generation, scribe, at: instant)
        case ("POST", 2): return try removalKey(request, rest, generation)
        case ("DELETE", 1...2): return try remove(request, rest, generation, scribe)
        default:
            return OpenMarketError(status: 405, message: "Request method '\(request.method)' not supported").response
        }
    }

    private func list(_ request: WebRequest, _ generation: Generation, _ scribe: OpenMarketResponseEncoder)
        -> WebResponse
    {
        let page = max(1, request.query("page_no").flatMap { Int($0) } ?? 1)
        let size = max(1, min(100, request.query("items_per_page").flatMap { Int($0) } ?? 20))
        let words = generation == .v4 ? request.query("search_value") : nil
        let all = shop.withLock { $0.list(matching: words) }
        let (offset, overflows) = (page - 1).multipliedReportingOverflow(by: size)
        guard !overflows, offset < all.count else {
            return WebResponse(status: 204, contentType: "application/json", body: .bytes([]))
        }
        // What is called the limit is the end of the page; the fourth generation takes it for a count, so pages overlap.
        let count = generation == .v4 ? offset + size : size
        return scribe.answer(Array(all[offset...].prefix(count)), page: page, size: size, total: all.count)
    }

    private func register(
        _ request: WebRequest, _ generation: Generation, _ scribe: OpenMarketResponseEncoder, at instant: Date
    ) throws(OpenMarketError) -> WebResponse {
        let vendor = try vendor(of: request)
        guard let form = MultipartForm(request) else { throw .noForm }
        guard let params = form.contents("params").first else { throw .missingPart("params") }
        let order = try order(params, "ProductCreationParams")
        let images = form.contents("images")
        guard (1...5).contains(images.count) else { throw .missingPart("images") }
        guard images.allSatisfy({ $0.count <= 300 << 10 }) else { throw .tooLarge }
        guard let name = order.name, !name.isEmpty, order.text(generation) != nil, order.price != nil,
            order.currency != nil, order.refusal == nil
        else { throw .unreadable("ProductCreationParams") }
        guard order.secret == vendor.secret else { throw .wrongSecret }
        let product = shop.withLock { shop in
            let count = images.reduce(0) { $0 + $1.count }
            return shop.hasRoom(for: count) ? shop.register(order, images: images, by: vendor, at: instant) : nil
        }
        guard let product else { throw .tooLarge }
        return scribe.answer(product, status: 201)
    }

    private func modify(
        _ request: WebRequest, _ word: String, _ generation: Generation, _ scribe: OpenMarketResponseEncoder,
        at instant: Date
    ) throws(OpenMarketError) -> WebResponse {
        let vendor = try vendor(of: request)
        let order = try order(request.body, "ProductModifyParams")
        let id = try own(word, of: vendor, secret: order.secret)
        if order.refusal != nil { throw .unreadable("ProductModifyParams") }
        guard let product = shop.withLock({ $0.modify(id, order, at: instant) }) else { throw .unknownProduct }
        return scribe.answer(product, withImages: false)
    }

    private func removalKey(
        _ request: WebRequest, _ rest: [String], _ generation: Generation
    ) throws(OpenMarketError) -> WebResponse {
        guard rest[1] == (generation == .v3 ? "secret" : "archived") else {
            return .html(MaintenancePage.notFound, status: 404)
        }
        let vendor = try vendor(of: request)
        let id = try own(rest[0], of: vendor, secret: try order(request.body, "SecretParams").secret)
        let secret = try product(String(id)).removalSecret
        return .text(generation == .v3 ? secret : "/api/products/\(id)_\(secret)")
    }

    private func remove(
        _ request: WebRequest, _ rest: [String], _ generation: Generation, _ scribe: OpenMarketResponseEncoder
    ) throws(OpenMarketError) -> WebResponse {
        let vendor = try vendor(of: request)
        let words = generation == .v3 ? rest : rest[0].split(separator: "_", maxSplits: 1).map(String.init)
        guard words.count == 2 else { throw .unknownProduct }
        let product = try product(words[0])
        guard product.vendor == vendor else { throw .foreignProduct }
        guard product.removalSecret == words[1] else { throw .wrongSecret }
        guard let removed = shop.withLock({ $0.remove(product.id) }) else { throw .unknownProduct }
        return scribe.answer(removed)
    }

    private func vendor(of request: WebRequest) throws(OpenMarketError) -> OpenMarketStore.Vendor {
        guard let identifier = request.header("identifier"), let vendor = shop.withLock({ $0.vendor(identifier) })
        else {
            throw .unknownVendor
        }
        return vendor
    }

    private func product(_ word: String) throws(OpenMarketError) -> OpenMarketStore.Product {
        guard let id = Int(word), let product = shop.withLock({ $0.products[id] }) else { throw .unknownProduct }
        return product
    }

    /// The number of a product that is the vendor's own, if the secret is right.
    private func own(_ word: String, of vendor: OpenMarketStore.Vendor, secret: String?) throws(OpenMarketError) -> Int
    {
        let product = try product(word)
        guard product.vendor == vendor else { throw .foreignProduct }
        guard secret == vendor.secret else { throw .wrongSecret }
        return product.id
    }

    private func order(_ json: [UInt8], _ type: String) throws(OpenMarketError) -> ProductForm {
        do {
            return try JSONDecoder().decode(ProductForm.self, from: Data(json))
        } catch {
            throw .unreadable(type)
        }
    }

    /// `media/<size>/<name>`: an uploaded picture as it came, or one that is drawn when asked for.
    private func image(_ request: WebRequest, _ words: [String]) -> WebResponse {
        guard request.method == "GET", words.count == 2, ["origin", "thumb"].contains(words[0]) else {
            return .html(MaintenancePage.notFound, status: 404)
        }
        let (upload, isKnown) = shop.withLock { shop in
            (shop.uploads[words[1]], shop.products.values.contains { $0.images.contains { $0.name == words[1] } })
        }
        if let upload {
            let isPNG = upload.starts(with: [0x89, 0x50])
            return WebResponse(contentType: isPNG ? "image/png" : "image/jpeg", body: .bytes(upload))
        }
        guard isKnown else { return .html(MaintenancePage.notFound, status: 404) }
        let side = words[0] == "thumb" ? 200 : 800
        return WebResponse(contentType: "image/jpeg", body: .bytes(ProductDrawing(words[1], side: side).encoded()))
    }
}

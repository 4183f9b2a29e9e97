import Contract
import FoundationEssentials
import ImageCache
import OpenMarket
import WebServer

/// The shop's part of the API.
extension API {
    /// Answers `products`, and what lies below it.
    func products(_ words: ArraySlice<Substring>, _ request: WebRequest) async throws -> WebResponse {
        guard let word = words.first else { return try await productPage(request) }
        guard let id = ProductID(word) else {
            throw ContractError(.badRequest, "a product is a number from 1", field: "product")
        }
        switch (words.count, words.dropFirst().first) {
        case (1, _): return try await product(id, request)
        case (3, "pictures"): return try await image(of: id, words[words.startIndex + 2], request)
        default: throw ContractError(.notFound, "the board's API has no such address")
        }
    }

    private func productPage(_ request: WebRequest) async throws -> WebResponse {
        let page = (request.query("page") ?? "1")
        let perPage = request.query("perPage") ?? "20"
        guard let page = Int(page), page > 0, let perPage = Int(perPage), ProductPage.perPage.contains(perPage) else {
            throw ContractError(.badRequest, "page is a number from 1, perPage one from 1 to 100", field: "page")
        }
        guard let json = try await model.productPage(page, perPage: perPage) else {
            throw ContractError(.notFound, "the page \(page) of the market is not known yet")
        }
        return CacheableBody(json, contentType: .json).response(to: request)
    }

    private func product(_ id: ProductID, _ request: WebRequest) async throws -> WebResponse {
        guard let json = try await model.product(id) else {
            throw ContractError(.notFound, "nothing is known of the product \(id) yet")
        }
        return CacheableBody(json, contentType: .json).response(to: request)
    }

    private func image(of id: ProductID, _ version: Substring, _ request: WebRequest) async throws -> WebResponse {
        guard let size = ImageSize(rawValue: request.query("size") ?? "small") else {
            throw ContractError(.badRequest, "a size is small, large or full", field: "size")
        }
        guard let url = try await model.imageURL(of: id, version: String(version)),
            let image = await images.image(at: url, size)
        else {
            throw ContractError(.notFound, "there is no such picture")
        }
        // What lies behind the market's address may change; the tag tells.
        return CacheableBody(image, contentType: "image/jpeg", isCompressible: false)
            .response(to: request, cacheControl: "public, max-age=600")
    }
}

import Contract
import JSONCoding
import OpenMarket
import WebServer

/// The Open Market's products.
extension API {
    /// Answers whether there is a shop, whether anybody may write there, and whether this visitor may.
    func shop(_ request: WebRequest) async throws -> WebResponse {
        var isOpen = hasOpenMarket
        if !isOpen { isOpen = try await model.hasProducts() }
        let answer = [
            "isOpen": isOpen, "canBeWritten": sessions.isEnabled, "isSignedIn": isSignedIn(request),
        ]
        return .json(try JSON.encode(answer), headers: [WebResponse.noStore])
    }

    /// Answers `products` and the addresses below it.
    ///
    /// - Parameter path: The parts of the path after `products`.
    func products(_ path: ArraySlice<Substring>, _ request: WebRequest) async throws -> WebResponse {
        guard let number = path.first else { return try await productPage(request) }
        guard let id = ProductID(number) else {
            throw ContractError(.badRequest, "a product's id must be a number from 1 on", field: "product")
        }
        switch (path.count, path.dropFirst().first) {
        case (1, _): return try await product(id, request)
        case (3, "images"): return try await image(of: id, path[path.startIndex + 2], request)
        default: throw ContractError(.notFound, "the board's API has no such address")
        }
    }

    private func productPage(_ request: WebRequest) async throws -> WebResponse {
        guard let page = Int(request.query("page") ?? "1"), page > 0,
            let perPage = Int(request.query("perPage") ?? "20"), ProductPage.perPage.contains(perPage)
        else {
            throw ContractError(
                .badRequest, "page must be a number from 1 on, and perPage a number from 1 to 100", field: "page")
        }
        return try await answers.response(
            to: request, "products/\(page)/\(perPage)"
        ) { [model] in try await model.productPage(page, perPage: perPage) }
    }

    private func product(_ id: ProductID, _ request: WebRequest) async throws -> WebResponse {
        try await answers.response(to: request, "product/\(id)") { [model] in try await model.product(id) }
    }

    private func image(of id: ProductID, _ version: Substring, _ request: WebRequest) async throws -> WebResponse {
        guard let size = ImageSize(rawValue: request.query("size") ?? "small") else {
            throw ContractError(.badRequest, "size must be small, large or full", field: "size")
        }
        guard let url = try await model.imageURL(of: id, version: String(version)),
            let image = await images.image(at: url, size)
        else {
            throw ContractError(.notFound, "the product \(id) has no such image, or its host does not send it")
        }
        // The image at the market's URL may change: browsers ask again after ten minutes, with its ETag.
        return CacheableBody(image, contentType: "image/jpeg", isCompressible: false)
            .response(to: request, cacheControl: "public, max-age=600")
    }
}

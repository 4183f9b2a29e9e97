import BoxOffice
import Contract
import ImageCache
import WebServer

/// Films: what is known of one, its poster, and alerts.
extension API {
    func movie(_ word: Substring, _ request: WebRequest) async throws -> WebResponse {
        guard let code = MovieCode(word) else {
            throw ContractError(.badRequest, "a film's code has 8 of 0-9 A-Z", field: "code")
        }
        return try found(try await model.movie(code), "nothing is known of the film \(code) yet").response(to: request)
    }

    func poster(_ word: Substring, _ version: Substring, _ request: WebRequest) async throws -> WebResponse {
        guard let code = MovieCode(word), let size = ImageSize(rawValue: request.query("size") ?? "small") else {
            throw ContractError(.badRequest, "a poster is asked for by code, version and size", field: "size")
        }
        guard let image = try await posters.image(code, String(version), size) else {
            throw ContractError(.notFound, "there is no such poster")
        }
        return CacheableBody(image, contentType: "image/jpeg", isCompressible: false)
            .response(to: request, cacheControl: "public, max-age=31536000, immutable")
    }

    func alerts(_ request: WebRequest) async throws -> WebResponse {
        let before = request.query("before").map { SequenceNumber($0) }
        let limit = request.query("limit").map { Int($0) } ?? 50
        guard before != .some(nil), let limit, (1...200).contains(limit) else {
            throw ContractError(.badRequest, "before is a sequence of 16 digits, limit 1 to 200", field: "limit")
        }
        let alerts = try await model.alerts(
            before: before ?? nil, rule: request.filter("rule"), movie: request.filter("film"), limit: limit)
        return CacheableBody(alerts, contentType: .json).response(to: request)
    }
}

extension WebRequest {
    /// A filter's text, if it is there and not empty.
    fileprivate func filter(_ name: String) -> String? {
        query(name).flatMap { $0.isEmpty ? nil : String($0.prefix(100)) }
    }
}

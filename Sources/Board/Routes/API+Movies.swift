import BoxOffice
import Contract
import ImageCache
import WebServer

/// Movies, their posters, and alerts.
extension API {
    func movie(_ code: Substring, _ request: WebRequest) async throws -> WebResponse {
        guard let code = MovieCode(code) else {
            throw ContractError(.badRequest, "code must be 8 characters of 0-9 and A-Z", field: "code")
        }
        return try found(try await model.movie(code), "the movie \(code) is not known yet").response(to: request)
    }

    func poster(_ code: Substring, _ version: Substring, _ request: WebRequest) async throws -> WebResponse {
        guard let code = MovieCode(code), let size = ImageSize(rawValue: request.query("size") ?? "small") else {
            throw ContractError(
                .badRequest, "code must be 8 characters of 0-9 and A-Z, and size small, large or full", field: "size")
        }
        guard let image = try await posters.image(code, String(version), size) else {
            throw ContractError(
                .notFound, "the movie \(code) has no poster of this version, or its host does not send it")
        }
        return CacheableBody(image, contentType: "image/jpeg", isCompressible: false)
            .response(to: request, cacheControl: "public, max-age=31536000, immutable")
    }

    func alerts(_ request: WebRequest) async throws -> WebResponse {
        let before = request.query("before").map { SequenceNumber($0) }
        let limit = request.query("limit").map { Int($0) } ?? 50
        guard before != .some(nil), let limit, (1...200).contains(limit) else {
            throw ContractError(
                .badRequest, "before must be a sequence number of 16 digits, and limit from 1 to 200", field: "limit")
        }
        let alerts = try await model.alerts(
            before: before ?? nil, rule: request.filter("rule"), movie: request.filter("film"), limit: limit)
        return CacheableBody(alerts, contentType: .json).response(to: request)
    }
}

extension WebRequest {
    /// The text of a filter in the query; nil if it is missing or empty.
    fileprivate func filter(_ name: String) -> String? {
        query(name).flatMap { $0.isEmpty ? nil : String($0.prefix(100)) }
    }
}

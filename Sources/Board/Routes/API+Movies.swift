import BoxOffice
import Contract
import JSONCoding
import WebServer

/// Movies, their posters, and alerts.
extension API {
    func movie(_ code: Substring, _ request: WebRequest) async throws -> WebResponse {
        guard let code = MovieCode(code) else {
            throw ContractError(.badRequest, "code must be 8 characters of 0-9 and A-Z", field: "code")
        }
        return try await answers.response(to: request, "movie/\(code)") { [model] in try await model.movie(code) }
    }

    /// Answers with the English words of the council's closed vocabularies, by vocabulary and Korean word.
    func vocabulary(_ request: WebRequest) throws -> WebResponse {
        let words = MovieVocabulary.allCases.map { ($0.rawValue, $0.words) }
        return CacheableBody(
            try JSON.encode(Dictionary(uniqueKeysWithValues: words)), contentType: .json
        ).response(to: request)
    }

    func poster(_ code: Substring, _ version: Substring, _ request: WebRequest) async throws -> WebResponse {
        guard let code = MovieCode(code), let size = ImageSize(rawValue: request.query("size") ?? "small") else {
            throw ContractError(
                .badRequest, "code must be 8 characters of 0-9 and A-Z, and size small, large or full", field: "size")
        }
        // Messages of the notifier show posters in mail and on the pages of chats.
        // The image at an address never changes, so a client that has one needs no other.
        let tag = "W/\"\(code)-\(size.rawValue)\""
        let cacheControl = "public, max-age=31536000, immutable"
        if request.hasCached(tag) {
            return .notModified(tag, contentType: "image/jpeg", cacheControl: cacheControl).forOtherSites()
        }
        guard let image = try await posterImage(code, version, size) else {
            throw ContractError(
                .notFound, "the movie \(code) has no poster of this version, or its host does not send it")
        }
        return CacheableBody(image, contentType: "image/jpeg", isCompressible: false, entityTag: tag)
            .response(to: request, cacheControl: cacheControl).forOtherSites()
    }

    /// Returns a movie's poster as a JPEG, fetched only from the URLs that its event names; nil if it has none, or none of
    /// this version.
    private func posterImage(_ code: MovieCode, _ version: Substring, _ size: ImageSize) async throws -> [UInt8]? {
        guard let poster = try await model.poster(code), poster.version == version else { return nil }
        for url in [poster.image.imageURL, poster.image.thumbnailURL] {
            if let bytes = await images.image(at: url, size, changedAt: poster.found) { return bytes }
        }
        return nil
    }

    func alerts(_ request: WebRequest) async throws -> WebResponse {
        let before = request.query("before").map { SequenceNumber($0) }
        let limit = request.query("limit").map { Int($0) } ?? 50
        guard before != .some(nil), let limit, (1...200).contains(limit) else {
            throw ContractError(
                .badRequest, "before must be a sequence number of 16 digits, and limit from 1 to 200", field: "limit")
        }
        let (rule, movie) = (try request.filter("rule"), try request.filter("movie"))
        let place = before.flatMap { $0?.description } ?? ""
        // A filter may have any character, so each is preceded by its length.
        let address = "alerts/\(place)/\(limit)/\(rule?.utf8.count ?? -1)/\(rule ?? "")/\(movie ?? "")"
        let isFiltered = rule != nil || movie != nil
        // A filter that few alerts or none fit reads all of them.
        return try await answers.response(to: request, address, isHeavy: isFiltered, isKept: !isFiltered) { [model] in
            try await model.alerts(before: before ?? nil, rule: rule, movie: movie, limit: limit)
        }
    }
}

extension WebRequest {
    /// The longest filter in bytes: what the page's field holds.
    private static let longestFilter = 300

    /// Returns the text of a filter in the query; nil if it is missing or empty.
    fileprivate func filter(_ name: String) throws(ContractError) -> String? {
        guard let text = query(name), !text.isEmpty else { return nil }
        // In bytes: one character can have any number of them.
        guard text.utf8.count <= Self.longestFilter else {
            throw ContractError(
                .badRequest, "\(name) must have at most \(Self.longestFilter) bytes", field: name)
        }
        return text
    }
}

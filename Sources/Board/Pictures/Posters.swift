import BoxOffice
import Pictures

/// The films' posters for browsers, never from anywhere but the addresses that the worker's event names.
struct Posters: Sendable {
    let model: ReadModel
    let cache: PictureCache

    /// A film's poster as a JPEG; nil if there is none, or none in this version.
    func picture(_ code: MovieCode, _ version: String, _ size: PictureSize) async throws -> [UInt8]? {
        guard let poster = try await model.poster(code), poster.version == version else { return nil }
        for url in [poster.picture.imageURL, poster.picture.thumbnailURL] {
            if let bytes = await cache.picture(at: url, size, changedAt: poster.found) { return bytes }
        }
        return nil
    }
}

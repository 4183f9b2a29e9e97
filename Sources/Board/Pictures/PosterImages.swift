import BoxOffice
import ImageCache

/// The films' posters for browsers, never from anywhere but the addresses that the worker's event names.
struct PosterImages: Sendable {
    let model: ReadModel
    let cache: TieredImageCache

    /// A film's poster as a JPEG; nil if there is none, or none in this version.
    func image(_ code: MovieCode, _ version: String, _ size: ImageSize) async throws -> [UInt8]? {
        guard let poster = try await model.poster(code), poster.version == version else { return nil }
        for url in [poster.image.imageURL, poster.image.thumbnailURL] {
            if let bytes = await cache.image(at: url, size, changedAt: poster.found) { return bytes }
        }
        return nil
    }
}

import BoxOffice
import Imaging

/// The films' posters for browsers: fetched once, made small, kept, and never from anywhere but the address that the
/// worker's event names.
///
/// Pictures are decoded one at a time: each may take tens of megabytes.
actor Posters {
    private let model: ReadModel
    private let store: PictureStore
    private let fetch: PictureFetch
    private var flights: [String: Task<[UInt8]?, Never>] = [:]
    /// The films' pictures that could not be had, not to be asked for again until the board is restarted or the
    /// worker finds another.
    private var missing: Set<String> = []
    private var fetching = 0
    private var queue: [CheckedContinuation<Void, Never>] = []

    /// How many pictures are fetched at once.
    private static let limit = 4
    /// How many failures are remembered.
    private static let missingLimit = 2_000

    init(model: ReadModel, store: PictureStore, fetch: PictureFetch) {
        self.model = model
        self.store = store
        self.fetch = fetch
    }

    /// A film's poster as a JPEG; nil if there is none, or none in this version.
    func picture(_ code: MovieCode, _ version: String, _ size: PictureSize) async throws -> [UInt8]? {
        guard let (current, picture) = try await model.poster(code), current == version else { return nil }
        if let kept = try await store.picture(code.description, version, size) { return kept }
        let key = "\(code)/\(version)/\(size.rawValue)"
        guard !missing.contains(key) else { return nil }
        if let flight = flights[key] { return await flight.value }
        let flight = Task { await make(picture, size) }
        flights[key] = flight
        let bytes = await flight.value
        flights[key] = nil
        if let bytes {
            try await store.keep(bytes, of: code.description, version, size)
        } else if missing.count < Self.missingLimit {
            missing.insert(key)
        }
        return bytes
    }

    private func make(_ picture: Poster.Picture, _ size: PictureSize) async -> [UInt8]? {
        await begin()
        defer { end() }
        for url in [picture.imageURL, picture.thumbnailURL] {
            guard let bytes = await fetch.bytes(at: url) else { continue }
            if let small = shrink(bytes, size) { return small }
        }
        return nil
    }

    /// On the actor, which is what makes it one at a time.
    private func shrink(_ bytes: [UInt8], _ size: PictureSize) -> [UInt8]? {
        Canvas(decoding: bytes, toFit: size.box.width, size.box.height)?.encodeJPEG(quality: 82)
    }

    private func begin() async {
        if fetching < Self.limit {
            fetching += 1
        } else {
            await withCheckedContinuation { queue.append($0) }
        }
    }

    /// Hands the place on, or gives it back.
    private func end() {
        if queue.isEmpty { fetching -= 1 } else { queue.removeFirst().resume() }
    }
}

/// The pictures that are in memory, up to so many bytes; those that were used longest ago make room.
struct PictureShelf: Sendable {
    private var pictures: [PictureKey: (picture: KeptPicture, used: Int)] = [:]
    private var uses = 0
    private let limit: Int
    /// How many bytes the pictures have.
    private(set) var bytes = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// A picture, which counts as used now.
    mutating func take(_ key: PictureKey) -> KeptPicture? {
        guard let picture = pictures[key]?.picture else { return nil }
        uses += 1
        pictures[key]?.used = uses
        return picture
    }

    /// Puts a picture in the place of the one with its key.
    mutating func put(_ picture: KeptPicture, _ key: PictureKey) {
        remove(key)
        guard picture.bytes.count <= limit else { return }
        uses += 1
        pictures[key] = (picture, uses)
        bytes += picture.bytes.count
        // A shelf holds some hundreds, so looking through all of them is nothing beside making one.
        while bytes > limit, let oldest = pictures.min(by: { $0.value.used < $1.value.used }) { remove(oldest.key) }
    }

    /// Takes a picture away.
    mutating func remove(_ key: PictureKey) {
        bytes -= pictures.removeValue(forKey: key)?.picture.bytes.count ?? 0
    }
}

import Crypto
import FoundationEssentials
import Networking
import Storage
import Text

/// The images on disk, up to a number of bytes. The least recently used ones are removed first.
///
/// Each image is stored with its digest; an image that does not match it counts as missing.
struct DiskImageCache: Sendable {
    static let schema = Schema(
        "mqim", version: 1,
        """
        create table image (
            url text not null,
            size text not null,
            bytes blob not null,
            digest text not null,
            checked integer not null,
            used integer not null,
            entity_tag text,
            last_modified text,
            primary key (url, size)
        ) strict;
        create index image_use on image (used);
        """)

    let database: Database
    /// The largest size of all images in bytes.
    let limit: Int

    /// Returns an image, and for a full-size one its validators.
    func find(_ key: ImageKey) async throws -> (image: CachedImage, validators: CacheValidators)? {
        let rows = try await database.read { connection in
            try connection.query(
                "select bytes, digest, checked, entity_tag, last_modified from image where url = ? and size = ?",
                key.url, key.size.rawValue, as: [UInt8].self, String.self, Int.self, String?.self, String?.self)
        }
        guard let (bytes, digest, checked, tag, modified) = rows.first, SHA256.hexDigest(of: bytes) == digest else {
            return nil
        }
        let image = CachedImage(bytes: bytes, checked: Date(millisecondsSince1970: checked))
        return (image, CacheValidators(entityTag: tag, lastModified: modified))
    }

    /// Stores an image. A full-size image replaces all sizes of the previous version.
    ///
    /// - Parameter uses: the images used since the last call, with the times. They are written here, because only here
    ///   they decide which images are removed.
    func store(
        _ image: CachedImage, _ key: ImageKey, _ validators: CacheValidators, uses: [ImageKey: Date]
    ) async throws {
        let limit = limit
        try await database.write { connection in
            if key.size == .full { try connection.execute("delete from image where url = ?", key.url) }
            for (key, date) in uses {
                try connection.execute(
                    "update image set used = ? where url = ? and size = ?", date.millisecondsSince1970, key.url,
                    key.size.rawValue)
            }
            try connection.execute(
                """
                insert or replace into image (url, size, bytes, digest, checked, used, entity_tag, last_modified)
                values (?, ?, ?, ?, ?, ?, ?, ?)
                """, key.url, key.size.rawValue, image.bytes, SHA256.hexDigest(of: image.bytes),
                image.checked.millisecondsSince1970, (uses[key] ?? image.checked).millisecondsSince1970,
                validators.entityTag, validators.lastModified)
            try connection.execute(
                """
                delete from image where rowid in (
                    select rowid from (
                        select rowid, sum(length(bytes)) over (order by used desc, rowid desc) as total from image
                    ) where total > ?
                )
                """, limit)
        }
    }

    /// Records that the source had the same image at a time.
    func markChecked(_ url: String, at date: Date) async throws {
        try await database.write { connection in
            try connection.execute("update image set checked = ? where url = ?", date.millisecondsSince1970, url)
        }
    }

    /// Forgets the refused files that were last checked before a time; nothing else limits their number.
    func deleteRefused(checkedBefore date: Date) async throws {
        try await database.write { connection in
            try connection.execute(
                "delete from image where length(bytes) = 0 and checked < ?", date.millisecondsSince1970)
        }
    }

    /// Returns the size of all images in bytes.
    func bytes() async throws -> Int {
        try await database.read { connection in
            try connection.query("select coalesce(sum(length(bytes)), 0) from image", as: Int.self)[0]
        }
    }
}

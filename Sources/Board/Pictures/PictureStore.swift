import SQLite

/// The posters in the sizes in which they are sent, in the read model's file; those kept for longest make room.
struct PictureStore: Sendable {
    let database: Database
    /// How many bytes are kept.
    var limit = 64 << 20

    /// A picture that was kept.
    func picture(_ code: String, _ version: String, _ size: PictureSize) async throws -> [UInt8]? {
        try await database.read { connection in
            try connection.query(
                "select bytes from picture where code = ? and version = ? and size = ?", code, version, size.rawValue,
                as: [UInt8].self
            ).first
        }
    }

    /// Keeps a picture, in the place of the film's earlier versions.
    func keep(_ bytes: [UInt8], of code: String, _ version: String, _ size: PictureSize) async throws {
        let limit = limit
        try await database.write { connection in
            try connection.execute("delete from picture where code = ? and version <> ?", code, version)
            try connection.execute(
                """
                insert or replace into picture (code, version, size, bytes, used)
                values (?, ?, ?, ?, (select coalesce(max(used), 0) + 1 from picture))
                """, code, version, size.rawValue, bytes)
            try connection.execute(
                """
                delete from picture where rowid in (
                    select rowid from (
                        select rowid, sum(length(bytes)) over (order by used desc) as total from picture
                    ) where total > ?
                )
                """, limit)
        }
    }
}

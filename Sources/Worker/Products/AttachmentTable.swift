import Contract
import SQLite

/// What came with a request and is needed until its end, and not a moment longer: its secret and its images.
///
/// No other table holds a secret. Debian's SQLite overwrites what is deleted; the write-ahead log is overwritten as it
/// goes round.
enum AttachmentTable {
    static let schema = Schema.Component(
        "enclosed",
        migrations: [
            """
            create table enclosed (
                request text not null,
                number integer not null,
                bytes blob not null,
                primary key (request, number)
            ) strict, without rowid;
            """
        ])

    /// The number of the secret's line; images have theirs from 1.
    private static let secret = 0

    /// Keeps what came with a request.
    static func keep(
        _ attachments: Attachments, of id: RequestID, in connection: Connection
    ) throws(DatabaseError) {
        let images = attachments.images.enumerated().map { ($0 + 1, $1) }
        for (number, bytes) in (attachments.secret.map { [(secret, Array($0.utf8))] } ?? []) + images {
            try connection.execute(
                "insert into enclosed (request, number, bytes) values (?, ?, ?)", id, number, bytes)
        }
    }

    /// What came with a request that has not ended.
    static func find(of id: RequestID, in connection: Connection) throws(DatabaseError) -> Attachments {
        var attachments = Attachments()
        let rows = try connection.query(
            "select number, bytes from enclosed where request = ? order by number", id, as: Int.self, [UInt8].self)
        for (number, bytes) in rows {
            if number == secret {
                attachments.secret = String(decoding: bytes, as: UTF8.self)
            } else {
                attachments.images.append(bytes)
            }
        }
        return attachments
    }

    /// Forgets what came with a request that has ended.
    static func forget(_ id: RequestID, in connection: Connection) throws(DatabaseError) {
        try connection.execute("delete from enclosed where request = ?", id)
    }
}

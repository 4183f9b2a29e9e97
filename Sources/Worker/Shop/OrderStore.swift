import Contract
import FoundationEssentials
import Storage
import Text

/// Records, before an order is sent, that it may have reached the Open Market, which is asked before it is sent again.
struct OrderIntent: Hashable, Sendable {
    let begun: Date
    /// The number of the newest product before that; a product that the order registers has a higher one.
    let newest: Int
}

/// The attachments and the intents of product orders, both kept only until the request ends. No other table holds a
/// secret, and this one holds it sealed. When the request ends, the row is overwritten and the write-ahead log emptied.
/// See docs/decisions/files-and-vendor-secrets.md.
struct OrderStore {
    static let tables = """
        create table attachment (
            request text not null,
            number integer not null,
            bytes blob not null,
            primary key (request, number)
        ) strict, without rowid;

        create table order_intent (
            request text primary key,
            begun integer not null,
            newest integer not null
        ) strict, without rowid;
        """

    /// The number of the row of a sealed secret; images are numbered from 1.
    private static let secretNumber = 0

    private let transaction: StoreTransaction
    private var connection: Connection { transaction.connection }

    init(_ transaction: StoreTransaction) {
        self.transaction = transaction
    }

    func insert(_ attachments: Attachments, of id: RequestID) throws(DatabaseError) {
        let images = attachments.images.enumerated().map { ($0 + 1, $1) }
        let secret = attachments.secret.map { [(Self.secretNumber, transaction.seal.seal($0, of: id))] } ?? []
        for (number, bytes) in secret + images {
            try connection.execute(
                "insert into attachment (request, number, bytes) values (?, ?, ?)", id, number, bytes)
        }
    }

    /// Returns the attachments of a request that has not ended; throws if the secret was sealed with a key that is gone.
    func attachments(of id: RequestID) throws -> Attachments {
        var attachments = Attachments()
        let rows = try connection.query(
            "select number, bytes from attachment where request = ? order by number", id, as: Int.self, [UInt8].self)
        for (number, bytes) in rows {
            guard number == Self.secretNumber else {
                attachments.images.append(bytes)
                continue
            }
            guard let secret = transaction.seal.open(bytes, of: id) else {
                // Not with the configured secret: the order is another vendor's.
                throw ContractError(
                    .unauthorized, "the secret of this order cannot be read: its key was lost; order again")
            }
            attachments.secret = secret
        }
        return attachments
    }

    func insert(_ intent: OrderIntent, of id: RequestID) throws(DatabaseError) {
        try connection.execute(
            """
            insert into order_intent (request, begun, newest) values (?, ?, ?)
            on conflict (request) do update set begun = excluded.begun, newest = excluded.newest
            """, id, intent.begun.millisecondsSince1970, intent.newest)
    }

    /// Returns the intent of an order that may have been sent, or nil if it certainly was not.
    func intent(of id: RequestID) throws(DatabaseError) -> OrderIntent? {
        let rows = try connection.query(
            "select begun, newest from order_intent where request = ?", id, as: Int.self, Int.self)
        return rows.first.map { OrderIntent(begun: Date(millisecondsSince1970: $0.0), newest: $0.1) }
    }

    /// Deletes the secret of a request that is set aside; its images stay for the operator.
    func deleteSecret(of id: RequestID) throws(DatabaseError) {
        try connection.execute("delete from attachment where request = ? and number = ?", id, Self.secretNumber)
        if connection.changedRows > 0 { connection.eraseLogAfterCommit() }
    }

    func delete(_ id: RequestID) throws(DatabaseError) {
        try connection.execute("delete from attachment where request = ?", id)
        if connection.changedRows > 0 { connection.eraseLogAfterCommit() }
        try connection.execute("delete from order_intent where request = ?", id)
    }
}

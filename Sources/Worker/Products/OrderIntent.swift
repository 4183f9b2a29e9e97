import Contract
import FoundationEssentials
import OpenMarket
import SQLite

/// The mark that an order may have been sent to the market, on disk before it is: whoever finds it looks before sending
/// the order again.
struct OrderIntent: Hashable, Sendable {
    /// When the order was about to be sent.
    let begun: Date
    /// The newest product in the market before that; what a registration made is newer.
    let newest: Int

    static let schema = Schema.Component(
        "attempt",
        migrations: [
            """
            create table attempt (
                request text primary key,
                begun integer not null,
                newest integer not null
            ) strict, without rowid;
            """
        ])

    /// Marks that an order is about to be sent.
    func note(of id: RequestID, in connection: Connection) throws(DatabaseError) {
        try connection.execute(
            "insert or replace into attempt (request, begun, newest) values (?, ?, ?)", id,
            Int(begun.timeIntervalSince1970 * 1000), newest)
    }

    /// The mark of an order that may have been sent; nil if it certainly was not.
    static func find(of id: RequestID, in connection: Connection) throws(DatabaseError) -> OrderIntent? {
        let rows = try connection.query(
            "select begun, newest from attempt where request = ?", id, as: Int.self, Int.self)
        return rows.first.map { OrderIntent(begun: Date(timeIntervalSince1970: Double($0.0) / 1000), newest: $0.1) }
    }

    /// Forgets the mark of an order that has ended.
    static func forget(_ id: RequestID, in connection: Connection) throws(DatabaseError) {
        try connection.execute("delete from attempt where request = ?", id)
    }
}

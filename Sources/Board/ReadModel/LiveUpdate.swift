import Contract
import SQLite

/// Something that happened, in the few words that a page needs to look at it again.
///
/// See docs/decisions/0021-live-update-ids.md.
struct LiveUpdate: Hashable, Sendable {
    /// What it is about; the raw value is the name of the server-sent event.
    enum Kind: String, Sendable {
        case chart
        case movie
        case poster
        case alert
        case anomaly
        /// A page of the market.
        case products
        case product
        /// What became of a request that was made on the board.
        case request
        /// Everything may be different.
        case reset
    }

    /// Its number: one more than the news before it.
    let id: Int
    let kind: Kind
    /// JSON in one line.
    let data: [UInt8]

    /// How many are kept for browsers that come back: one that missed more loads its page anew.
    static let limit = 2_000
}

extension ReadModel {
    /// The newest news, oldest first.
    func recentNews() async throws -> [LiveUpdate] {
        try await database.read { connection in
            try connection.query("select id, kind, data from news order by id", as: Int.self, String.self, [UInt8].self)
                .compactMap { id, kind, data in
                    LiveUpdate.Kind(rawValue: kind).map { LiveUpdate(id: id, kind: $0, data: data) }
                }
        }
    }
}

extension Connection {
    /// Writes something down as news, and returns it with its number.
    func addNews(_ kind: LiveUpdate.Kind, _ data: [UInt8]) throws(DatabaseError) -> LiveUpdate {
        let id = try query(
            "insert into news (kind, data) values (?, ?) returning id", kind.rawValue, data, as: Int.self)[0]
        return LiveUpdate(id: id, kind: kind, data: data)
    }

    /// Forgets the oldest news beyond those that are kept.
    func trimNews() throws(DatabaseError) {
        try execute("delete from news where id <= (select max(id) from news) - ?", LiveUpdate.limit)
    }
}

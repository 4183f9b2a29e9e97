import Contract
import Storage

/// A change that is sent to browsers, with enough data for a page to decide what to reload.
///
/// Its id names the read model, because one that is rebuilt counts anew.
struct LiveUpdate: Hashable, Sendable {
    /// The subject of an update; the raw value is the name of the server-sent event.
    enum Kind: String, Sendable {
        case chart
        case movie
        case poster
        case alert
        case anomaly
        /// A page of the Open Market.
        case products
        case product
        /// The outcome of a request that was made on the board.
        case request
        /// Any data may have changed.
        case reset
    }

    /// One more than the id of the update before it.
    let id: Int
    let kind: Kind
    /// JSON in one line.
    let data: [UInt8]

    /// How many updates are kept, if they are not too large. A browser that missed more reloads its page.
    static let limit = 2_000
}

extension ReadModel {
    /// The newest updates that are kept, oldest first, and at most as many bytes as the hub holds.
    func recentUpdates() async throws -> [LiveUpdate] {
        try await database.read { connection in
            try connection.query(
                """
                select id, kind, data from (
                    select id, kind, data, sum(length(data)) over (order by id desc) as size from live_update
                ) where size <= ? order by id
                """, EventStreamHub.greetingLimit, as: Int.self, String.self, [UInt8].self
            ).compactMap { id, kind, data in
                LiveUpdate.Kind(rawValue: kind).map { LiveUpdate(id: id, kind: $0, data: data) }
            }
        }
    }
}

extension Connection {
    /// Stores an update, and returns it with its id.
    func addUpdate(_ kind: LiveUpdate.Kind, _ data: [UInt8]) throws(DatabaseError) -> LiveUpdate {
        let id = try query(
            "insert into live_update (kind, data) values (?, ?) returning id", kind.rawValue, data, as: Int.self)[0]
        return LiveUpdate(id: id, kind: kind, data: data)
    }

    /// Deletes all but the newest `LiveUpdate.limit` updates.
    func trimUpdates() throws(DatabaseError) {
        try execute("delete from live_update where id <= (select max(id) from live_update) - ?", LiveUpdate.limit)
    }
}

// MARK: - Server-sent events

extension LiveUpdate {
    /// The update as a server-sent event of the read model with this epoch.
    func serverSentEvent(epoch: String) -> [UInt8] {
        Array("id: \(epoch)-\(id)\nevent: \(kind.rawValue)\ndata: ".utf8) + data.filter { $0 != 0x0A && $0 != 0x0D }
            + Array("\n\n".utf8)
    }

    /// A server-sent event without data, which sets the last id that a browser knows.
    static func marker(_ event: String, id: Int, epoch: String) -> [UInt8] {
        Array("id: \(epoch)-\(id)\nevent: \(event)\ndata: {}\n\n".utf8)
    }
}

import Contract
import FoundationEssentials
import JSONCoding
import Messaging
import SQLite

/// What the board knows, in a database of its own: charts, films, alerts and news, all taken from events.
///
/// It can be thrown away at any time; the logs of worker and notifier have everything. What is read is changed in whole
/// transactions together with how far was read, so that each event counts once.
struct ReadModel: Sendable {
    /// The processes whose events it takes.
    enum Source: String, CaseIterable, Sendable {
        case worker
        case notifier
    }

    let database: Database
    /// Tells this read model from one that was made anew: the numbers of its news mean nothing in another.
    let epoch: String

    /// Takes a database with the read model's schema.
    init(_ database: Database) async throws {
        self.database = database
        epoch = try await database.write { connection in
            try connection.execute(
                "insert into board (only, epoch) values (1, ?) on conflict do nothing",
                UUID().uuidString.prefix(8).lowercased())
            return try connection.query("select epoch from board", as: String.self)[0]
        }
    }

    /// Where to go on reading a process's log: after what was read, or at its beginning.
    func start(of source: Source) async throws -> Subscription.Start {
        try await database.read { connection in
            let stored = try connection.query(
                "select position from reading where source = ?", source.rawValue, as: [UInt8].self)
            return try stored.first.map { .after(try JSON.decode(from: $0)) } ?? .beginning
        }
    }
}

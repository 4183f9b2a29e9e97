import ServiceRuntime
import Storage

/// One of the workers that share the database, as `status` shows it.
public struct SharingWorker: Hashable, Sendable, Codable {
    /// Its process, and the machine.
    public let name: String
    /// Seconds since it last showed that it lives, by the database's clock.
    public let silence: Int
    /// The number of requests that it has claimed and that have not ended.
    public let requests: Int
    /// Whether it runs the schedule and the backfill, and carries out orders to the shop.
    public let isLeader: Bool
}

/// The workers that share the database, each with a row as long as it lives.
///
/// A request's row names the worker that has claimed it; one whose worker has no row is anybody's. The worker that has been
/// there longest leads: it alone runs the schedule and the backfill, and carries out orders to the shop.
struct WorkerRegistry {
    static let table = """
        create table worker (
            number integer primary key,
            id integer not null unique,
            name text not null,
            seen_at integer not null
        ) strict;
        """

    /// A worker that has not been seen for so many seconds, by the database's clock, is dead.
    static let lifetime = 15

    private let transaction: StoreTransaction
    private var connection: Connection { transaction.connection }

    init(_ transaction: StoreTransaction) {
        self.transaction = transaction
    }

    /// Records that this worker lives, and returns the seconds since 1970 by the database's clock.
    @discardableResult
    func sign() throws(DatabaseError) -> Int {
        try connection.query(
            """
            insert into worker (id, name, seen_at) values (?, ?, unixepoch())
            on conflict (id) do update set seen_at = excluded.seen_at returning seen_at
            """, transaction.worker, processName, as: Int.self)[0]
    }

    /// Removes a worker that ends or has ended; its requests are anybody's then.
    func remove(_ worker: Int) throws(DatabaseError) {
        try connection.execute("delete from worker where id = ?", worker)
    }

    /// Removes all other workers; for a database that only one process can have open.
    func removeOthers() throws(DatabaseError) {
        try connection.execute("delete from worker where id <> ?", transaction.worker)
    }

    func removeDead() throws(DatabaseError) {
        try connection.execute("delete from worker where seen_at < unixepoch() - ?", Self.lifetime)
    }

    /// Whether this worker leads; one that is not recorded does, too, as in a maintenance command.
    func isLeader() throws(DatabaseError) -> Bool {
        try connection.query("select id from worker order by number limit 1", as: Int.self).first ?? transaction.worker
            == transaction.worker
    }

    /// Returns the workers, the leader first.
    func workers() throws(DatabaseError) -> [SharingWorker] {
        let rows = try connection.query(
            """
            select name, unixepoch() - seen_at,
                (select count(*) from inbox where state = 0 and claimed_by = worker.id)
            from worker order by number
            """, as: String.self, Int.self, Int.self)
        return rows.enumerated().map { index, row in
            SharingWorker(name: row.0, silence: max(row.1, 0), requests: row.2, isLeader: index == 0)
        }
    }

    /// Returns the number of workers that live; this one does.
    func livingCount() throws(DatabaseError) -> Int {
        try connection.query(
            "select count(*) from worker where seen_at >= unixepoch() - ? or id = ?", Self.lifetime, transaction.worker,
            as: Int.self)[0]
    }

    /// Whether a worker is dead, or a request waits that no living worker has claimed.
    func hasLeft() throws(DatabaseError) -> (dead: Bool, request: Bool) {
        let dead = try connection.query(
            "select 1 from worker where seen_at < unixepoch() - ? limit 1", Self.lifetime, as: Int.self)
        let requests = try connection.query(
            "select 1 from inbox where state = 0 and claimed_by not in (select id from worker) limit 1", as: Int.self)
        return (!dead.isEmpty, !requests.isEmpty)
    }
}

import Storage

/// The workers that share the database, each with a row as long as it lives.
///
/// A request's row names the worker that has claimed it; one whose worker has no row is anybody's. The worker that has been
/// there longest leads: it alone runs the schedule and the backfill, and carries out orders to the shop.
struct WorkerRegistry {
    static let table = """
        create table worker (
            number integer primary key,
            id integer not null unique,
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

    /// Records that this worker lives.
    func sign() throws(DatabaseError) {
        try connection.execute(
            """
            insert into worker (id, seen_at) values (?, unixepoch())
            on conflict (id) do update set seen_at = excluded.seen_at
            """, transaction.worker)
    }

    /// Removes a worker that ends or has ended; its requests are anybody's then.
    func remove(_ worker: Int) throws(DatabaseError) {
        try connection.execute("delete from worker where id = ?", worker)
    }

    /// Removes all other workers; for a database that only one process can have open.
    func removeOthers() throws(DatabaseError) {
        try connection.execute("delete from worker where id <> ?", transaction.worker)
    }

    /// Removes the workers that are dead.
    func removeDead() throws(DatabaseError) {
        try connection.execute("delete from worker where seen_at < unixepoch() - ?", Self.lifetime)
    }

    /// Whether this worker leads; one that is not recorded does, too, as in a maintenance command.
    func isLeader() throws(DatabaseError) -> Bool {
        try connection.query("select id from worker order by number limit 1", as: Int.self).first ?? transaction.worker
            == transaction.worker
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

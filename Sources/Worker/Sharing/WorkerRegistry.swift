import Concurrency
import Glibc
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

/// The workers that share the database, each with a row as long as it lives. A request's row names the worker that has
/// claimed it; one whose worker has no row is anybody's. The worker that has been there longest leads: it alone runs
/// the schedule and the backfill, and carries out orders to the shop.
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

    func sign() throws(DatabaseError) {
        try connection.execute(
            """
            insert into worker (id, name, seen_at) values (?, ?, unixepoch())
            on conflict (id) do update set seen_at = excluded.seen_at
            """, transaction.worker, processName)
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

    /// Whether a worker is dead, or a request waits that no living worker has claimed.
    func hasLeft() throws(DatabaseError) -> (dead: Bool, request: Bool) {
        let dead = try connection.query(
            "select 1 from worker where seen_at < unixepoch() - ? limit 1", Self.lifetime, as: Int.self)
        let requests = try connection.query(
            "select 1 from inbox where state = 0 and claimed_by not in (select id from worker) limit 1", as: Int.self)
        return (!dead.isEmpty, !requests.isEmpty)
    }
}

/// Shows the other workers that this one lives, and takes over the requests of those that do not.
struct TakeoverService: Service {
    private static let interval = Duration.seconds(5)

    /// When this worker showed that it lives, without a long pause since `first`.
    private struct Signs {
        var first: Duration
        var last: Duration
    }

    let store: WorkerStore
    let runtime: Runtime
    private let wakeSignal = WakeSignal()
    private let age = Stopwatch(ContinuousClock())
    private let signs = Locked<Signs?>(nil)

    /// Fails when this worker cannot use the database any more, because a newer version has changed its tables.
    func run() async throws {
        let logger = RateLimitedLogger(runtime.logger)
        try await wakeSignal.runLoop(runtime.clock) {
            do {
                try await look()
            } catch let error as DatabaseError where [.inUse, .newerSchema].contains(error.kind) {
                throw error
            } catch {
                signs.withLock { $0 = nil }
                logger.error("other workers cannot be seen; trying again", [.error: "\(error)"])
            }
            return .seconds(1)
        }
    }

    func stop() async {
        wakeSignal.stop()
    }

    /// Shows that this worker lives, if that is due, and takes over what others have left.
    private func look() async throws {
        let now = age.elapsed
        // While the server answered nobody, the others could not show up either.
        let isInTime = { @Sendable [age] in age.elapsed - now < Self.interval }
        defer { if !isInTime() { signs.withLock { $0 = nil } } }
        let (isDue, mayJudge) = signs.withLock { signs in
            guard let signs else { return (true, false) }
            return (now - signs.last >= Self.interval, now - signs.first >= .seconds(WorkerRegistry.lifetime))
        }
        let (dead, request) = try await store.read { try WorkerRegistry($0).hasLeft() }
        // After an outage of the database all look dead: this worker judges when the others have had time to show up.
        let removesDead = dead && mayJudge
        guard isDue || removesDead || request else { return }
        try await store.write { transaction in
            let registry = WorkerRegistry(transaction)
            if isDue { try registry.sign() }
            if removesDead, isInTime() { try registry.removeDead() }
            if removesDead || request { try RequestInbox(transaction).claimPending() }
        }
        guard isDue else { return }
        signs.withLock { signs in
            let isLate = signs.map { now - $0.last > Self.interval * 2 } ?? true
            signs = Signs(first: isLate ? now : signs?.first ?? now, last: now)
        }
    }
}

/// The file in the data folder that names the worker's run, so that the next run takes over its requests at once. It is
/// locked by `flock(2)` as long as the process lives: two workers with one database need two folders.
final class RunFile: Sendable {
    static let name = "worker-run"

    private let descriptor: Int32
    /// The run before, which has ended; nil if there was none.
    let predecessor: Int?

    /// Takes the lock, and writes the name of this run; throws `inUse` if another worker has the folder.
    init(_ path: String, run: Int) throws(DatabaseError) {
        // Never removed: otherwise one process could lock the removed file and another a new one.
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let status = errno
            if descriptor >= 0 { close(descriptor) }
            let isLocked = status == EWOULDBLOCK
            let reason = isLocked ? "another worker has this folder" : String(cString: strerror(status))
            throw DatabaseError(isLocked ? .inUse : .cannotOpen, "opening", path, reason: reason)
        }
        self.descriptor = descriptor
        var bytes = [UInt8](repeating: 0, count: 20)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        predecessor = Int(String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self))
        // Not synced, and not checked: without it, the next run waits until this one counts as dead.
        let text = Array("\(run)".utf8)
        _ = ftruncate(descriptor, 0)
        _ = pwrite(descriptor, text, text.count, 0)
    }

    deinit {
        close(descriptor)
    }
}

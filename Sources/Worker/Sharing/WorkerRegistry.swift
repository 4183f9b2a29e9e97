import Concurrency
import FoundationEssentials
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
                if let time = try await look() { checkClock(against: time, logger) }
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

    /// Says so if this machine's clock is wrong: each worker counts a day's calls by its own.
    private func checkClock(against time: Int, _ logger: RateLimitedLogger) {
        let difference = Int(runtime.wallClock.now().timeIntervalSince1970) - time
        guard store.database.isShared, abs(difference) > 60 else { return }
        logger.error(
            "the clocks of this machine and of the database differ; set both by NTP",
            [.error: "this machine's is \(difference) s ahead"])
    }

    /// Shows that this worker lives, if that is due, and takes over what others have left; returns the database's time if
    /// this worker has shown itself.
    private func look() async throws -> Int? {
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
        guard isDue || removesDead || request else { return nil }
        let time = try await store.write { transaction in
            let registry = WorkerRegistry(transaction)
            let time = isDue ? try registry.sign() : nil
            if removesDead, isInTime() { try registry.removeDead() }
            if removesDead || request { try RequestInbox(transaction).claimPending() }
            return time
        }
        guard let time else { return nil }
        signs.withLock { signs in
            let isLate = signs.map { now - $0.last > Self.interval * 2 } ?? true
            signs = Signs(first: isLate ? now : signs?.first ?? now, last: now)
        }
        return isInTime() ? time : nil
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

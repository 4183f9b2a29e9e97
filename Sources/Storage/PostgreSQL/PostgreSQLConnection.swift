import Concurrency
import Dispatch
import FoundationEssentials
import Glibc

/// A connection to one schema of a PostgreSQL database, which is made again after it was lost.
///
/// Transactions that write take turns, those of other processes included: each sees all commits before it and none beside
/// it, as with a file. Each counts in the process's row of `marquee_writer`, so that whether a commit was made can be asked
/// after its answer was lost.
///
/// One process writes alone, or several share the writing. They hold an advisory lock, by which others are refused. One
/// that writes alone must do so every few seconds, or another may take its place: that ends its session and deletes its row,
/// so that a process which was frozen or cut off writes nothing more.
final class PostgreSQLConnection: Connection {
    private let server: DatabaseServer
    private let schema: Schema
    private var session: PostgreSQLSession?
    /// Why the server could not be used, and when; for a moment nobody tries again.
    private var lastFailure: (error: DatabaseError, time: ContinuousClock.Instant)?
    private var changes = 0

    // MARK: Of a connection that writes

    /// The name of this process in `marquee_writer`; empty if it only reads.
    private let writer: String
    private let isShared: Bool
    /// The number of the open transaction, of those of this process.
    private var number = 0
    /// A commit of which nobody knows whether it was made, and what to do if it was.
    private var unresolved: (number: Int, actions: [() -> Void])?

    private init(_ server: DatabaseServer, _ schema: Schema, writer: String = "", isShared: Bool = false) {
        self.server = server
        self.schema = schema
        self.writer = writer
        self.isShared = isShared
        super.init(name: server.name)
    }

    static func writing(
        _ server: DatabaseServer, schema: Schema, isShared: Bool
    ) throws(DatabaseError) -> sending Connection {
        let connection = PostgreSQLConnection(server, schema, writer: UUID().uuidString, isShared: isShared)
        let session = try PostgreSQLSession(server)
        try schema.prepare(session, server)
        try connection.lock(session)
        try session.transaction { session throws(DatabaseError) in
            try session.takeTurn()
            let others = isShared ? "written_at < now() - interval '1 day'" : "true"
            try session.run(
                """
                delete from marquee_writer where \(others);
                insert into marquee_writer (id, number, written_at) values ('\(connection.writer)', 0, now())
                """)
        }
        // Only now: one that writes with older tables has ended, or ends by the version.
        try schema.migrate(session, server)
        connection.session = session
        return connection
    }

    static func reading(_ server: DatabaseServer, schema: Schema) throws(DatabaseError) -> sending Connection {
        let connection = PostgreSQLConnection(server, schema)
        _ = try connection.connected()
        return connection
    }

    // MARK: - Sessions

    private func connected() throws(DatabaseError) -> PostgreSQLSession {
        if let session, !session.isLost { return session }
        session = nil
        // A host that does not answer costs seconds; those who wait behind this try need not wait for one each.
        if let lastFailure, lastFailure.time.duration(to: .now) < .seconds(1) { throw lastFailure.error }
        do throws(DatabaseError) {
            let new = try PostgreSQLSession(server)
            if writer.isEmpty {
                // A read waits for nobody but a program that locks whole tables, and others wait behind it.
                try new.run("set lock_timeout = '2s'")
                try schema.check(new, server)
            } else {
                // One whose place was taken must not take the lock, or the other could not come back.
                let mine = "select 1 from marquee_writer where id = '\(writer)'"
                if !isShared, try new.run(mine) == nil { throw try placeError(new) }
                try lock(new, again: true)
            }
            (session, lastFailure) = (new, nil)
            return new
        } catch {
            lastFailure = (error, .now)
            throw error
        }
    }

    /// Takes the lock of a process that writes; the server ends it with the session.
    private func lock(_ session: PostgreSQLSession, again: Bool = false) throws(DatabaseError) {
        // A process that has frozen in a transaction must not stop all others.
        try session.run("set idle_in_transaction_session_timeout = '5s'")
        guard !isShared else { return try session.takeLock(isShared: true) }
        let end =
            """
            select pg_terminate_backend(pid) from pg_locks
            where locktype = 'advisory' and classid = 0 and objid = \(PostgreSQLSession.lockKey) and objsubid = 1
                and database = (select oid from pg_database where datname = current_database()) and granted
            """
        if again {
            // The lock can only be that of the lost session. In one message with the wait for it: a process that tries to
            // take the lock does not get it before one that waits.
            try session.run("\(end); select pg_advisory_lock(\(PostgreSQLSession.lockKey))")
        } else {
            // Whoever has the lock but has not written for a while is frozen, unless its commit waits for a synchronous
            // standby.
            try session.run(
                """
                \(end) and not exists (select 1 from marquee_writer where written_at > now() - interval '15 seconds')
                    and not exists (
                        select 1 from pg_stat_activity as activity
                        where activity.pid = pg_locks.pid and wait_event = 'SyncRep')
                """)
            try session.takeLock(isShared: false)
        }
    }

    /// Begins a transaction, in a new session if that fails in the open one: nothing is written yet.
    private func begin(_ body: (PostgreSQLSession) throws(DatabaseError) -> Void) throws(DatabaseError) {
        let isNew = session?.isLost ?? true
        let session = try connected()
        do throws(DatabaseError) {
            try body(session)
        } catch {
            // The lock, too, ends with the session.
            self.session = nil
            // A new session would wait for as long.
            if session.isSilent || error.kind == .busy { throw failed(error) }
            if isNew || [.inUse, .newerSchema, .olderSchema].contains(error.kind) { throw error }
            try begin(body)
        }
    }

    private func failed(_ error: DatabaseError) -> DatabaseError {
        lastFailure = (error, .now)
        return error
    }

    private func open(_ action: @autoclosure () -> String) throws(DatabaseError) -> PostgreSQLSession {
        guard let session else {
            throw DatabaseError(.unreachable, action(), name, reason: "the connection is lost")
        }
        return session
    }

    // MARK: - Statements

    override var changedRows: Int { changes }

    override func send(
        _ sql: StaticString, _ values: [StoredValue], inParts: Bool,
        read: (borrowing Row) throws(DatabaseError) -> Bool
    ) throws(DatabaseError) {
        func readAll(_ result: PostgreSQLResult) throws(DatabaseError) -> Bool {
            while result.row < result.rowCount {
                guard try read(Row(cells: result, name: name)) else { return false }
                result.row += 1
            }
            return true
        }
        try run(sql) { session throws(DatabaseError) in
            if inParts {
                try session.forEachPart(of: sql, values, read: readAll)
            } else {
                let result = try session.execute(sql, values)
                changes = result.changedRows
                _ = try readAll(result)
            }
        }
    }

    override func sendEach(_ sql: StaticString, _ rows: [[StoredValue]]) throws(DatabaseError) -> [Int] {
        try run(sql) { session throws(DatabaseError) in try session.executeEach(sql, rows) }
    }

    /// Runs a statement in the session of the open transaction, which has failed if the session is lost.
    private func run<Value>(
        _ sql: StaticString, _ body: (PostgreSQLSession) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value {
        let session = try open("running `\(sql)` on")
        do throws(DatabaseError) {
            return try body(session)
        } catch {
            if error.kind == .unreachable {
                transaction.fail(with: error)
                self.session = nil
            }
            throw session.isSilent ? failed(error) : error
        }
    }

    override func size() throws(DatabaseError) -> Int {
        try query(
            """
            select coalesce(sum(pg_total_relation_size(oid)), 0)::bigint from pg_class
            where relnamespace = current_schema()::regnamespace and relkind = 'r'
            """, as: Int.self)[0]
    }

    // MARK: - Transactions

    override var isInTransaction: Bool { session?.isInTransaction ?? false }

    // The levels are said, because a role or a database may have others as a default.
    override func start(writing: Bool) throws(DatabaseError) {
        try begin { session throws(DatabaseError) in
            guard writing else {
                try session.run("begin isolation level repeatable read, read only")
                return
            }
            try resolve(session)
            // Read committed: what the others have committed until its turn is seen by the statements after it.
            let row = try session.run(
                """
                begin isolation level read committed, read write;
                \(PostgreSQLSession.turn);
                insert into marquee_writer as writer (id, number, written_at)
                select '\(writer)', 1, now() from marquee_schema where version = \(schema.version)
                on conflict (id) do update set number = writer.number + 1, written_at = now() returning number
                """)
            guard let number = row.flatMap({ Int($0) }) else { throw try placeError(session) }
            self.number = number
        }
    }

    /// Makes the error of a process that may not write any more.
    private func placeError(_ session: PostgreSQLSession) throws(DatabaseError) -> DatabaseError {
        let version = try session.run("select version from marquee_schema").flatMap { Int($0) } ?? 0
        guard version == schema.version else { return schema.versionError(version, in: name) }
        return DatabaseError(.inUse, "writing to", name, reason: "another process has taken this one's place")
    }

    override func end() throws(DatabaseError) {
        let session = try open("committing to")
        do throws(DatabaseError) {
            try session.commit(notifying: isShared ? PostgreSQLListener.channel(server) : nil)
        } catch {
            guard error.kind == .unreachable || session.isLost else { throw error }
            // The answer is lost; the commit may be made. Others wait, so this does not take long.
            self.session = nil
            unresolved = (number, transaction.actions)
            // A server that is silent would not say it either.
            if session.isSilent { throw failed(error) }
            let end = ContinuousClock.now + .seconds(5)
            repeat {
                do throws(DatabaseError) {
                    let isMade = try isMade(number, connected())
                    unresolved = nil
                    guard isMade else { throw error }
                    return
                } catch let failure {
                    guard unresolved != nil else { throw failure }
                    // What a restart alone can mend.
                    if [.inUse, .newerSchema].contains(failure.kind) { throw failure }
                    usleep(200_000)
                }
            } while ContinuousClock.now < end
            throw DatabaseError(
                .unreachable, "committing to", name, reason: "whether the commit was made is not known yet")
        }
    }

    /// Finds out what became of a commit, and does what follows from it, before anything else is written.
    private func resolve(_ session: PostgreSQLSession) throws(DatabaseError) {
        guard let (number, actions) = unresolved else { return }
        let isMade = try isMade(number, session)
        unresolved = nil
        if isMade { complete(actions) }
    }

    /// Whether the transaction with a number was committed.
    private func isMade(_ number: Int, _ session: PostgreSQLSession) throws(DatabaseError) -> Bool {
        var row: String?
        // After its end, if the lost session is still at it; and with a change and a commit: so the answer waits for a
        // synchronous standby, as the lost one did.
        try session.transaction { session throws(DatabaseError) in
            try session.takeTurn()
            row = try session.run(
                "update marquee_writer set written_at = now() where id = '\(writer)' returning number")
        }
        guard let last = row.flatMap({ Int($0) }) else {
            guard isShared else { throw try placeError(session) }
            return false
        }
        return last == number
    }

    override func tidy() -> Bool {
        guard unresolved != nil else { return false }
        try? begin(resolve)
        return unresolved != nil
    }

    override func undo() {
        guard let session, session.mustRollBack else { return }
        _ = try? session.run("rollback")  // a session that fails here is lost, and made again
    }
}

/// Listens, in a session of its own, to the commits that all processes make to one schema.
final class PostgreSQLListener: Sendable {
    private let server: DatabaseServer
    private let isClosed = Locked(false)

    init(_ server: DatabaseServer) {
        self.server = server
    }

    /// The channel of a schema's commits.
    static func channel(_ server: DatabaseServer) -> String { "marquee_\(server.namespace)" }

    func listen(_ action: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "database listener").async { [self] in
            var session: PostgreSQLSession?
            while !isClosed.withLock({ $0 }) {
                do throws(DatabaseError) {
                    if session == nil {
                        session = try PostgreSQLSession(server)
                        try session?.run("listen \(Self.channel(server))")
                        // For the commits before.
                        action()
                    }
                    if try session?.waitForNotification(milliseconds: 1_000) == true { action() }
                } catch {
                    // Not reported: whoever reads or writes meets the same server and says so.
                    session = nil
                    usleep(1_000_000)
                }
            }
        }
    }

    func close() {
        isClosed.withLock { $0 = true }
    }
}

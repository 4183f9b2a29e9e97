import CPostgreSQL
import Glibc

/// The owner of a `PGconn *`: one session at a server, with its prepared statements.
final class PostgreSQLSession {
    private let pointer: OpaquePointer
    let name: String
    private var statements: [UnsafePointer<UInt8>: String] = [:]
    private var cursors = 0
    /// How long the server may take for an answer, in milliseconds, until the session counts as lost; -1: for ever.
    var patience = PostgreSQLSession.patience
    static let patience: Int32 = 8_000
    /// Whether the server has not answered for so long, though its machine keeps the connection.
    private(set) var isSilent = false

    /// Connects, and reads and writes the tables in the server's schema from then on.
    init(_ server: DatabaseServer) throws(DatabaseError) {
        name = server.name
        guard Self.options(of: server.address) != nil else {
            // libpq's message may repeat a part of the address, and with it a password.
            throw DatabaseError(
                .refused, "connecting to", name,
                reason: "its address cannot be read; signs in a user or a password are written as in a URL: %40 for @")
        }
        // What an address says comes later in the list and wins.
        let options: [(String, String)] = [
            ("fallback_application_name", "marquee"),
            ("connect_timeout", "5"),  // for each address; libpq's own is none
            // A server that is silent for ten seconds is gone; the kernel's own is two hours.
            ("keepalives_idle", "4"), ("keepalives_interval", "2"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "10000"),
            ("target_session_attrs", "primary"),  // of several hosts
            ("dbname", server.address),
            ("client_encoding", "UTF8"),
        ]
        let connection = Parameters(options.map { .text($0.0) }).withPointers { _, names, _, _ in
            Parameters(options.map { .text($0.1) }).withPointers { _, values, _, _ in
                PQconnectdbParams(names, values, 1)
            }
        }
        guard let connection else { fatalError("out of memory") }
        pointer = connection
        guard PQstatus(pointer) == CONNECTION_OK else {
            throw DatabaseError(connectingTo: name, message: String(cString: PQerrorMessage(pointer)))
        }
        // A notice is for a person at a terminal; libpq's own receiver writes it to standard error.
        PQsetNoticeReceiver(pointer, { _, _ in }, nil)
        // A commit that is not on disk is none; waiting for a standby or not is the operator's decision. A session that waits
        // for a lock ends by itself before this program gives it up.
        try run(
            """
            set tcp_keepalives_idle = 4; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3;
            set tcp_user_timeout = '10s';
            set search_path = \(server.namespace);
            set lock_timeout = '7s';
            select set_config('synchronous_commit', 'on', false)
            where current_setting('synchronous_commit') = 'off'
            """)
    }

    deinit {
        PQfinish(pointer)
    }

    /// Waits for a notification of a channel that the session listens to; returns whether there was one.
    func waitForNotification(milliseconds: Int32) throws(DatabaseError) -> Bool {
        var descriptor = pollfd(fd: PQsocket(pointer), events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, milliseconds) > 0 else { return false }
        guard PQconsumeInput(pointer) == 1, !isLost else {
            throw DatabaseError(.unreachable, "listening to", name, reason: "the connection is lost")
        }
        var found = false
        while let notification = PQnotifies(pointer) {
            PQfreemem(notification)
            found = true
        }
        return found
    }

    /// Whether the connection is lost; a new session is needed then.
    var isLost: Bool { isSilent || PQstatus(pointer) != CONNECTION_OK }

    /// Whether a transaction is open and no statement in it has failed.
    var isInTransaction: Bool { PQtransactionStatus(pointer) == PQTRANS_INTRANS }

    var mustRollBack: Bool { [PQTRANS_INTRANS, PQTRANS_INERROR].contains(PQtransactionStatus(pointer)) }

    var serverVersion: Int { Int(PQserverVersion(pointer)) }

    var encoding: String? { PQparameterStatus(pointer, "server_encoding").map { String(cString: $0) } }

    var processID: Int { Int(PQbackendPID(pointer)) }

    /// Runs a script, and returns the first column of the first row of its last statement; nil if there is none.
    @discardableResult
    func run(_ script: String) throws(DatabaseError) -> String? {
        let result = try result(of: PQsendQuery(pointer, script), "running a script on")
        guard result.rowCount > 0, PQgetisnull(result.pointer, 0, 0) == 0 else { return nil }
        return String(cString: PQgetvalue(result.pointer, 0, 0))
    }

    func transaction(_ body: (PostgreSQLSession) throws(DatabaseError) -> Void) throws(DatabaseError) {
        try run("begin isolation level read committed, read write")
        do throws(DatabaseError) {
            try body(self)
            try commit()
        } catch {
            if mustRollBack { _ = try? run("rollback") }
            throw error
        }
    }

    /// Waits until no other transaction has the turn, and has it until the end of this one.
    static let turn = "select pg_advisory_xact_lock('marquee_writer'::regclass::oid::bigint)"

    func takeTurn() throws(DatabaseError) { try run(Self.turn) }

    static let lockKey = "'marquee_schema'::regclass::oid::bigint"

    /// Takes the lock of a process that writes, or one that several such processes share; the server ends it with the session.
    func takeLock(isShared: Bool) throws(DatabaseError) {
        let take = isShared ? "pg_try_advisory_lock_shared" : "pg_try_advisory_lock"
        // The server may need a moment to see that a process has died.
        for _ in 0..<20 {
            if try run("select \(take)(\(Self.lockKey))") == "t" { return }
            usleep(100_000)
        }
        throw DatabaseError(.inUse, "opening", name, reason: "another process has it open for writing")
    }

    /// Ends the transaction with a commit; throws, too, if the server has rolled it back.
    func commit(notifying channel: String? = nil) throws(DatabaseError) {
        let script = (channel.map { "notify \($0); " } ?? "") + "commit"
        let action = "committing to"
        let hint = "; the server may wait for a synchronous standby"
        let result = try result(of: PQsendQuery(pointer, script), action, ifSilent: hint)
        guard String(cString: PQcmdStatus(result.pointer)) == "COMMIT" else {
            throw DatabaseError(.other, action, name, reason: "the server has rolled it back")
        }
    }

    func execute(_ sql: StaticString, _ values: [StoredValue]) throws(DatabaseError) -> PostgreSQLResult {
        let statement = try prepare(sql)
        return try result(of: send(statement, values, isPrepared: true), "running `\(sql)` on", sql)
    }

    /// Runs a statement once for each row of values, and returns how many rows of the table each run has changed.
    func executeEach(_ sql: StaticString, _ rows: [[StoredValue]]) throws(DatabaseError) -> [Int] {
        let statement = try prepare(sql)
        return try inOneMessage(rows.count, sql) {
            for row in rows { _ = send(statement, row, isPrepared: true) }
        }.map(\.changedRows)
    }

    /// Sends a statement, by its name or with PostgreSQL's own placeholders; returns 0 if it could not be sent.
    private func send(_ statement: String, _ values: [StoredValue], isPrepared: Bool = false) -> Int32 {
        Parameters(values).withPointers { count, values, lengths, formats in
            isPrepared
                ? PQsendQueryPrepared(pointer, statement, count, values, lengths, formats, 1)
                : PQsendQueryParams(pointer, statement, count, nil, values, lengths, formats, 1)
        }
    }

    /// Sends several statements and returns the answer to each; the answers are read after all were sent.
    ///
    /// See https://www.postgresql.org/docs/current/libpq-pipeline-mode.html.
    private func inOneMessage(
        _ count: Int, _ sql: StaticString, send: () -> Void
    ) throws(DatabaseError) -> [PostgreSQLResult] {
        PQenterPipelineMode(pointer)
        defer { PQexitPipelineMode(pointer) }
        send()  // a statement that cannot be sent has no answer
        PQpipelineSync(pointer)
        var results: [PostgreSQLResult] = []
        var failure: DatabaseError?
        for _ in 0..<count {
            try waitForResult("running `\(sql)` on")
            do throws(DatabaseError) {
                let result = PQgetResult(pointer).map { PostgreSQLResult($0, of: sql) }
                results.append(try check(result, "running `\(sql)` on"))
            } catch {
                // The server skips the statements after the first that fails.
                failure = failure ?? error
            }
            // A null ends each answer.
            PQclear(PQgetResult(pointer))
        }
        try waitForResult("running `\(sql)` on")
        // The answer to the sync.
        PQclear(PQgetResult(pointer))
        if let failure { throw failure }
        return results
    }

    private func prepare(_ sql: StaticString) throws(DatabaseError) -> String {
        if let prepared = statements[sql.utf8Start] { return prepared }
        let statement = "s\(statements.count)"
        let sent = PQsendPrepare(pointer, statement, PostgreSQLDialect.statement(sql.description), 0, nil)
        _ = try result(of: sent, "preparing `\(sql)` on")
        statements[sql.utf8Start] = statement
        return statement
    }

    /// Runs a statement that is not prepared, with PostgreSQL's own placeholders; messages name it by `name`.
    func execute(
        once sql: String, _ values: [StoredValue] = [], as name: StaticString
    ) throws(DatabaseError) -> PostgreSQLResult {
        try result(of: send(sql, values), "running `\(name)` on", name)
    }

    /// Runs a query in parts of 100 rows; `read` returns whether to go on.
    func forEachPart(
        of sql: StaticString, _ values: [StoredValue], read: (PostgreSQLResult) throws(DatabaseError) -> Bool
    ) throws(DatabaseError) {
        cursors += 1  // a query may run within another
        let declaration = "declare c\(cursors) no scroll cursor for \(PostgreSQLDialect.statement(sql.description))"
        let fetch = "fetch 100 from c\(cursors)"
        var part = try inOneMessage(2, sql) {
            _ = send(declaration, values)
            _ = send(fetch, [])
        }[1]
        while try read(part), part.rowCount == 100 {
            part = try execute(once: fetch, as: sql)
        }
    }

    /// Returns the last result of what was sent, if that is not an error.
    private func result(
        of isSent: Int32, _ action: @autoclosure () -> String, _ sql: StaticString = "", ifSilent hint: String = ""
    ) throws(DatabaseError) -> PostgreSQLResult {
        var last: PostgreSQLResult?
        while isSent == 1 {
            try waitForResult(action(), hint)
            guard let next = PQgetResult(pointer) else { break }
            last = PostgreSQLResult(next, of: sql)
        }
        return try check(last, action())
    }

    /// Waits until a result has come, or the connection is lost.
    private func waitForResult(_ action: @autoclosure () -> String, _ hint: String = "") throws(DatabaseError) {
        while PQisBusy(pointer) == 1 {
            var descriptor = pollfd(fd: PQsocket(pointer), events: Int16(POLLIN), revents: 0)
            if poll(&descriptor, 1, patience) == 0 {
                isSilent = true
                throw DatabaseError(
                    .unreachable, action(), name, reason: "no answer within \(patience / 1_000) s\(hint)")
            }
            guard PQconsumeInput(pointer) == 1 else { return }  // the result says why
        }
    }

    private func check(_ result: PostgreSQLResult?, _ action: String) throws(DatabaseError) -> PostgreSQLResult {
        let status = PQresultStatus(result?.pointer)
        if let result, status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK { return result }
        throw DatabaseError(action, name, result?.pointer)
    }

    // MARK: - Addresses

    static func name(of address: String) -> String {
        guard let options = options(of: address) else { return "PostgreSQL" }
        let hosts = (options["host"] ?? options["hostaddr"] ?? "localhost").split(separator: ",")
        // One port for each host, or one for all.
        let ports = options["port"]?.split(separator: ",", omittingEmptySubsequences: false) ?? []
        let places = hosts.enumerated().map { index, host in
            let port = (ports.count > 1 ? ports.dropFirst(index).first : ports.first) ?? ""
            return port.isEmpty ? "\(host)" : "\(host):\(port)"
        }
        return "postgresql://\(places.joined(separator: ","))/\(options["dbname"] ?? "")"
    }

    /// Returns the parts of an address; nil if it is none, or signs in its password have made a host or a port of a part.
    private static func options(of address: String) -> [String: String]? {
        guard let options = PQconninfoParse(address, nil) else { return nil }
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        let isPort = values["port"]?.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ",") } ?? true
        return isPort && values["host"]?.contains("@") != true ? values : nil
    }
}

/// The values of a statement in the form in which libpq takes them: an integer as text, because the server decides how
/// wide it is, all others as their bytes.
private struct Parameters {
    /// All values, each followed by a zero byte.
    private var bytes: [UInt8] = []
    /// Where a value begins; nil for null.
    private var starts: [Int?] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    init(_ values: [StoredValue]) {
        for value in values {
            let start = bytes.count
            switch value.withoutZeros {
            case .null: break
            case .integer(let number): bytes += "\(number)".utf8
            case .text(let text): bytes += text.utf8
            case .bytes(let value): bytes += value
            }
            starts.append(value == .null ? nil : start)
            lengths.append(Int32(bytes.count - start))
            if case .integer = value { formats.append(0) } else { formats.append(1) }
            bytes.append(0)
        }
    }

    func withPointers<Value>(
        _ body: (
            _ count: Int32, UnsafePointer<UnsafePointer<CChar>?>, _ lengths: [Int32], _ formats: [Int32]
        ) -> Value
    ) -> Value {
        bytes.withUnsafeBytes { bytes in
            let base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            let pointers = starts.map { start in start.flatMap { base?.advanced(by: $0) } } + [nil]
            return body(Int32(starts.count), pointers, lengths, formats)
        }
    }
}

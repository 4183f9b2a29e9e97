import CSQLite

/// The tables of one kind of database, with the scripts that bring one of an older version to them.
public struct Schema: Sendable {
    /// Four ASCII letters that no other kind of database has, so that none is opened in its place.
    let tag: String
    let version: Int
    /// The first script makes the tables; each further one leads to the next version, the last one to `version`.
    private let scripts: [String]
    let views: (sqlite: String, postgreSQL: String)

    /// Makes a schema of the script that makes the tables and the changes of each version since.
    ///
    /// Never change a released script. A database that can be made again may have one script for its newest version.
    public init(
        _ tag: StaticString, version: Int, _ scripts: String...,
        views: (sqlite: String, postgreSQL: String) = ("", "")
    ) {
        self.tag = tag.description
        precondition(self.tag.utf8.count == 4 && (1...version).contains(scripts.count), "an invalid schema: \(tag)")
        self.version = version
        self.scripts = scripts
        self.views = views
    }

    /// Returns the scripts that bring tables of a version to this one; nil if that cannot be done.
    func scripts(from found: Int) -> ArraySlice<String>? {
        guard found != 0 else { return scripts[...] }
        return (version - scripts.count + 1...version).contains(found) ? scripts.suffix(version - found) : nil
    }

    func versionError(_ found: Int, in name: String) -> DatabaseError {
        DatabaseError(
            found > version ? .newerSchema : .olderSchema, "opening", name,
            reason: "its tables have version \(found), and this program's have version \(version)")
    }
}

extension Schema {
    private var applicationID: Int { tag.utf8.reduce(0) { $0 << 8 | Int($1) } }

    /// Throws if another program has written the file, or a version that this one cannot continue; does not change it.
    func check(_ connection: SQLiteConnection, mayBeEmpty: Bool = false) throws(DatabaseError) {
        let id = try connection.query("pragma application_id", as: Int.self)
        guard id == [applicationID] else {
            guard id == [0], try connection.query("select name from sqlite_schema", as: String.self).isEmpty else {
                throw DatabaseError(.foreign, "opening", connection.name, reason: "it is another program's database")
            }
            if mayBeEmpty { return }
            throw DatabaseError(.notADatabase, "opening", connection.name, reason: "it is empty")
        }
        let found = try foundVersion(in: connection)
        guard found > 0, scripts(from: found) != nil else { throw versionError(found, in: connection.name) }
    }

    func migrate(_ connection: SQLiteConnection) throws(DatabaseError) {
        try connection.begin(writing: true)
        do throws(DatabaseError) {
            let found = try foundVersion(in: connection)
            if found == 0 {
                _ = marquee_sqlite3_add_uuid(connection.handle)  // a new log's epoch is made by it
                try connection.run(
                    script: """
                        pragma application_id = \(applicationID);
                        create table commit_count (commits integer not null) strict;
                        insert into commit_count values (0);
                        """)
            }
            for script in scripts(from: found) ?? [] { try connection.run(script: script) }
            if found == 0 { try connection.run(script: views.sqlite) }
            try connection.run(script: "pragma user_version = \(version)")
            try connection.commit()
        } catch {
            connection.rollBack()
            throw error
        }
    }

    func foundVersion(in connection: SQLiteConnection) throws(DatabaseError) -> Int {
        try connection.query("pragma user_version", as: Int.self)[0]
    }
}

extension Schema {
    private static let oldestServer = 14

    /// Makes the schema with the two tables of this module, if they are missing.
    ///
    /// The table `marquee_schema` has one row: the tag and the version of the tables, 0 as long as there are none. The table
    /// `marquee_writer` has a row for each process that writes, with the number of its newest transaction.
    func prepare(_ session: PostgreSQLSession, _ server: DatabaseServer) throws(DatabaseError) {
        try checkServer(session, server)
        try session.transaction { session throws(DatabaseError) in
            // Of several processes that start at once, one makes it.
            try session.run("select pg_advisory_xact_lock(hashtext('marquee'))")
            guard try foundVersion(session, server) == nil else { return }
            if try session.run("select to_regnamespace('\(server.namespace)')") == nil {
                try session.run("create schema \(server.namespace)")
            }
            try session.run(PostgreSQLDialect.functions)
            try session.run(
                """
                create table marquee_schema (tag text not null, version bigint not null);
                create table marquee_writer (
                    id text primary key, number bigint not null, written_at timestamptz not null
                );
                insert into marquee_schema values ('\(tag)', 0)
                """)
        }
    }

    func migrate(_ session: PostgreSQLSession, _ server: DatabaseServer) throws(DatabaseError) {
        session.patience = -1  // a change takes as long as a table is large
        defer { session.patience = PostgreSQLSession.patience }
        try session.transaction { session throws(DatabaseError) in try update(session, server) }
    }

    /// Runs the scripts that the tables lack, in the open transaction.
    func update(_ session: PostgreSQLSession, _ server: DatabaseServer) throws(DatabaseError) {
        try session.takeTurn()
        let found = try foundVersion(session, server) ?? 0
        guard let scripts = scripts(from: found) else { throw versionError(found, in: server.name) }
        for script in scripts { try session.run(PostgreSQLDialect.script(script)) }
        if found == 0, !views.postgreSQL.isEmpty { try session.run(views.postgreSQL) }
        if found != version { try session.run("update marquee_schema set version = \(version)") }
    }

    func check(_ session: PostgreSQLSession, _ server: DatabaseServer) throws(DatabaseError) {
        try checkServer(session, server)
        let found = try foundVersion(session, server) ?? 0
        guard found > 0 else { throw DatabaseError(.notADatabase, "opening", server.name, reason: "it is empty") }
        guard found == version else { throw versionError(found, in: server.name) }
    }

    private func checkServer(_ session: PostgreSQLSession, _ server: DatabaseServer) throws(DatabaseError) {
        func refusal(_ reason: String) -> DatabaseError {
            DatabaseError(.unsupported, "opening", server.name, reason: reason)
        }
        let version = session.serverVersion / 10_000
        guard version >= Self.oldestServer else {
            throw refusal("it is PostgreSQL \(version), and \(Self.oldestServer) is the oldest that will do")
        }
        guard let encoding = session.encoding, encoding == "UTF8" else {
            throw refusal("its encoding is \(session.encoding ?? "unknown"); make a database with encoding UTF8")
        }
        // Locks and prepared statements are a session's, and a pooler's sessions change.
        guard try session.run("select pg_backend_pid()") == "\(session.processID)" else {
            throw refusal("this is a pooler; name the server itself")
        }
    }

    private func foundVersion(_ session: PostgreSQLSession, _ server: DatabaseServer) throws(DatabaseError) -> Int? {
        let name = server.namespace
        guard try session.run("select to_regclass('\(name).marquee_schema')") != nil else {
            guard try session.run("select count(*) from pg_tables where schemaname = '\(name)'") == "0" else {
                throw DatabaseError(
                    .foreign, "opening", server.name, reason: "its schema \(name) has another program's tables")
            }
            return nil
        }
        let row = try session.run("select tag || ' ' || version from \(name).marquee_schema")?.split(separator: " ")
        guard let row, row.count == 2, row[0] == tag, let version = Int(row[1]) else {
            throw DatabaseError(
                .foreign, "opening", server.name, reason: "its schema \(name) has tables of another kind")
        }
        return version
    }
}

extension Schema {
    /// The oldest version of PostgreSQL that this program is tried with.
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

    /// Runs the scripts that the tables lack, all of them or none.
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

    /// Throws if the tables are missing, or of another version.
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

    /// Returns the version of the tables; nil if the schema has none.
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

extension PostgreSQLSession: CopyTarget {
    /// Opens a database to copy it; returns nil if it has no tables of this program.
    static func copySource(_ server: DatabaseServer, _ schema: Schema) throws(DatabaseError) -> PostgreSQLSession? {
        let session = try PostgreSQLSession(server)
        do throws(DatabaseError) {
            try schema.check(session, server)
        } catch {
            guard error.kind == .notADatabase else { throw error }
            return nil
        }
        try session.lock()
        session.patience = -1  // a table takes as long as it is large
        try session.run("begin isolation level repeatable read, read only")
        return session
    }

    /// Makes the tables, in a transaction that stays open.
    static func copyTarget(_ server: DatabaseServer, _ schema: Schema) throws(DatabaseError) -> PostgreSQLSession {
        let session = try PostgreSQLSession(server)
        try schema.prepare(session, server)
        try session.lock()
        session.patience = -1  // a table takes as long as it is large
        try session.run("begin isolation level read committed, read write")
        guard try session.run("select version from marquee_schema") == "0" else {
            let reason = "its schema \(server.namespace) has the tables of a marquee"
            throw DatabaseError(.exists, "copying to", server.name, reason: reason)
        }
        try schema.update(session, server)
        return session
    }

    /// Takes the lock of the process that writes; the server ends it with the session.
    private func lock() throws(DatabaseError) {
        try takeLock(isShared: false)
        // So that a process which starts meanwhile does not take this one for frozen.
        try run(
            """
            insert into marquee_writer (id, number, written_at) values ('copy', 0, now() + interval '1 day')
            on conflict (id) do update set written_at = excluded.written_at
            """)
    }

    var catalogue: String {
        """
        select relname::text collate "C", attname::text collate "C",
            coalesce(array_position(indkey::smallint[], attnum), -1)::bigint + 1
        from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
            left join pg_index on indrelid = pg_class.oid and indisprimary
        where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname not like 'marquee\\_%'
        """
    }

    func rows(of sql: String, _ values: [StoredValue]) throws(DatabaseError) -> [[StoredValue]] {
        let result = try execute(once: PostgreSQLDialect.statement(sql), values, as: "a copy")
        var rows: [[StoredValue]] = []
        while result.row < result.rowCount {
            rows.append((0..<result.columnCount).map { result.value($0) ?? .null })
            result.row += 1
        }
        return rows
    }

    func finish() throws(DatabaseError) {
        // Rows that come get numbers after those that were copied.
        let script = try run(
            """
            select string_agg(format('select setval(pg_get_serial_sequence(%L, %L), max(%I)) from %I',
                quote_ident(relname), attname, attname, relname), ';')
            from pg_class join pg_attribute on attrelid = pg_class.oid and attidentity <> ''
            where relnamespace = current_schema()::regnamespace
            """)
        if let script { try run(script) }
        try commit()
    }
}

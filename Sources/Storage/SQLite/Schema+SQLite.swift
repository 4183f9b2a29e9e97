import CSQLite

extension Schema {
    private var applicationID: Int { tag.utf8.reduce(0) { $0 << 8 | Int($1) } }

    /// Throws if another program has written the file, or a version that this one cannot continue; does not change it. An
    /// empty file is valid.
    func check(_ connection: SQLiteConnection) throws(DatabaseError) {
        let id = try connection.query("pragma application_id", as: Int.self)
        guard id == [applicationID] else {
            guard id == [0], try connection.query("select name from sqlite_schema", as: String.self).isEmpty else {
                throw DatabaseError(.foreign, "opening", connection.name, reason: "it is another program's database")
            }
            return
        }
        let found = try foundVersion(in: connection)
        guard found > 0, scripts(from: found) != nil else { throw versionError(found, in: connection.name) }
    }

    /// Throws if the file is an empty database, which `check` accepts as a new one.
    func checkIsNotEmpty(_ connection: SQLiteConnection) throws(DatabaseError) {
        guard try foundVersion(in: connection) > 0 else {
            throw DatabaseError(.notADatabase, "opening", connection.name, reason: "it is empty")
        }
    }

    /// Returns whether the file's tables are of this version; a file that is only read is not migrated.
    func isCurrent(_ connection: SQLiteConnection) throws(DatabaseError) -> Bool {
        try foundVersion(in: connection) == version
    }

    /// Runs the scripts that the file lacks, all of them or none.
    func migrate(_ connection: SQLiteConnection) throws(DatabaseError) {
        try connection.beginWriting()
        do throws(DatabaseError) {
            let found = try foundVersion(in: connection)
            if found == 0 {
                _ = marquee_sqlite3_add_uuid(connection.handle.pointer)  // a new log's epoch is made by it
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

    /// The version of the file's tables; 0 for an empty file.
    private func foundVersion(in connection: SQLiteConnection) throws(DatabaseError) -> Int {
        try connection.query("pragma user_version", as: Int.self)[0]
    }
}

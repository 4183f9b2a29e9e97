/// The tables of one kind of database, with the scripts that bring a file of an older version to them.
public struct Schema: Sendable {
    /// The `application_id` of the files, so that no file of another kind is opened in their place.
    private let applicationID: Int
    /// The `user_version` of the files.
    private let version: Int
    /// The first script makes the tables; each further one leads to the next version, the last one to `version`.
    private let scripts: [String]

    /// Makes a schema.
    ///
    /// - Parameters:
    ///   - tag: Four ASCII letters that no other kind of database has.
    ///   - version: The version of the tables, from 1.
    ///   - scripts: What makes the tables, then the changes of each version since. Never change a released script; a
    ///     database that can be created again may have one script for its newest version instead.
    public init(_ tag: StaticString, version: Int, _ scripts: String...) {
        let letters = tag.description.utf8
        precondition(letters.count == 4 && (1...version).contains(scripts.count), "an invalid schema: \(tag)")
        applicationID = letters.reduce(0) { $0 << 8 | Int($1) }
        self.version = version
        self.scripts = scripts
    }
}

extension Schema {
    /// Throws if another program has written the file, or a version that this one cannot continue; does not change it. An
    /// empty file is valid.
    func check(_ connection: Connection) throws(DatabaseError) {
        let id = try connection.query("pragma application_id", as: Int.self)
        guard id == [applicationID] else {
            guard id == [0], try connection.query("select name from sqlite_schema", as: String.self).isEmpty else {
                throw DatabaseError(.foreign, "opening", connection.path, reason: "it is another program's database")
            }
            return
        }
        let found = try foundVersion(in: connection)
        guard (version - scripts.count + 1...version).contains(found) else {
            throw DatabaseError(
                found > version ? .newerSchema : .olderSchema, "opening", connection.path,
                reason: "its tables have version \(found), and this program's have version \(version)")
        }
    }

    /// Throws if the file is an empty database, which `check` accepts as a new one.
    func checkIsNotEmpty(_ connection: Connection) throws(DatabaseError) {
        guard try foundVersion(in: connection) > 0 else {
            throw DatabaseError(.notADatabase, "opening", connection.path, reason: "it is empty")
        }
    }

    /// Returns whether the file's tables are of this version; a file that is only read is not migrated.
    func isCurrent(_ connection: Connection) throws(DatabaseError) -> Bool {
        try foundVersion(in: connection) == version
    }

    /// Runs the scripts that the file lacks, all of them or none.
    func migrate(_ connection: Connection) throws(DatabaseError) {
        try connection.beginWriting()
        do throws(DatabaseError) {
            let found = try foundVersion(in: connection)
            if found == 0 {
                try connection.run(
                    script: """
                        pragma application_id = \(applicationID);
                        create table commit_count (commits integer not null) strict;
                        insert into commit_count values (0);
                        """)
            }
            for script in scripts.suffix(version - found) { try connection.run(script: script) }
            try connection.run(script: "pragma user_version = \(version)")
            try connection.commit()
        } catch {
            connection.rollBack()
            throw error
        }
    }

    /// The version of the file's tables; 0 for an empty file.
    private func foundVersion(in connection: Connection) throws(DatabaseError) -> Int {
        try connection.query("pragma user_version", as: Int.self)[0]
    }
}

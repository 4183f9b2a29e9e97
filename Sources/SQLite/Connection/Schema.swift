/// The tables a program keeps in one database, as parts that are migrated each on its own.
public struct Schema: Sendable {
    /// The tables of one part of the program.
    public struct Component: Sendable {
        /// The part's name, the same in all versions.
        public let name: String
        /// Scripts that lead from each version to the next, the first from nothing. Never change one that was released.
        public let migrations: [String]

        /// Makes a component whose version is the number of its migrations.
        public init(_ name: String, migrations: [String]) {
            self.name = name
            self.migrations = migrations
        }
    }

    let components: [Component]

    /// Makes a schema; names must differ.
    public init(_ components: Component...) {
        precondition(Set(components.map(\.name)).count == components.count, "two components of a schema share a name")
        self.components = components
    }
}

extension Schema {
    /// "marq": what SQLite keeps in the file's header to tell our databases from others.
    private static let applicationID = 0x6d61_7271

    /// Refuses a file that is not ours or that a newer version has written, without changing it.
    func check(_ connection: Connection) throws(DatabaseError) {
        let id = try connection.query("pragma application_id", as: Int.self)
        guard id == [Self.applicationID] else {
            guard id == [0], try connection.query("select name from sqlite_schema", as: String.self).isEmpty else {
                throw DatabaseError(.foreign, "opening", connection.path, reason: "it is another program's database")
            }
            return
        }
        for (name, version) in try versions(in: connection) {
            let known = components.first { $0.name == name }?.migrations.count
            guard let known, version <= known else {
                let reason = "its part \"\(name)\" is of version \(version), and this program knows \(known ?? 0)"
                throw DatabaseError(.newerSchema, "opening", connection.path, reason: reason)
            }
        }
    }

    /// Refuses a file that is as good as not there: empty, which `check` lets pass as a new one.
    func checkIsThere(_ connection: Connection) throws(DatabaseError) {
        guard try connection.query("pragma application_id", as: Int.self) == [Self.applicationID] else {
            throw DatabaseError(.notADatabase, "opening", connection.path, reason: "it is empty")
        }
    }

    /// Whether a file's tables are those of this version: one that is only read is not brought up to date.
    func isCurrent(_ connection: Connection) throws(DatabaseError) -> Bool {
        let known = Dictionary(uniqueKeysWithValues: components.map { ($0.name, $0.migrations.count) })
        return try versions(in: connection) == known
    }

    /// Runs the migrations that the file has not seen, all or none of them.
    func migrate(_ connection: Connection) throws(DatabaseError) {
        try connection.beginWriting()
        do throws(DatabaseError) {
            try connection.run(
                script: """
                    pragma application_id = \(Self.applicationID);
                    create table if not exists schema_component (
                        name text primary key,
                        version integer not null
                    ) strict, without rowid;
                    create table if not exists commit_count (commits integer not null) strict;
                    insert into commit_count select 0 where not exists (select 1 from commit_count);
                    """)
            let versions = try versions(in: connection)
            for component in components {
                for script in component.migrations.dropFirst(versions[component.name] ?? 0) {
                    try connection.run(script: script)
                }
                try connection.execute(
                    "insert or replace into schema_component (name, version) values (?, ?)", component.name,
                    component.migrations.count)
            }
            try connection.commit()
        } catch {
            connection.rollBack()
            throw error
        }
    }

    private func versions(in connection: Connection) throws(DatabaseError) -> [String: Int] {
        let rows = try connection.query(
            "select name, version from schema_component", as: String.self, Int.self)
        return Dictionary(uniqueKeysWithValues: rows)
    }
}

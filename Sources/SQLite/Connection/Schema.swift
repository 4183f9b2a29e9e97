/// The tables of one database, as components that are migrated separately.
public struct Schema: Sendable {
    /// The tables of one part of a program.
    public struct Component: Sendable {
        /// The name of the component, the same in all versions.
        public let name: String
        /// The scripts from each version to the next; the first one creates the tables. Never change a released one.
        public let migrations: [String]

        /// Makes a component; its version is the number of its migrations.
        public init(_ name: String, migrations: [String]) {
            self.name = name
            self.migrations = migrations
        }
    }

    let components: [Component]

    /// Makes a schema of components with different names.
    public init(_ components: Component...) {
        precondition(Set(components.map(\.name)).count == components.count, "two components of a schema share a name")
        self.components = components
    }
}

extension Schema {
    /// "marq": the id in the header of the project's databases.
    private static let applicationID = 0x6d61_7271

    /// Throws if another program or a newer version has written the file; does not change it. An empty file is valid.
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
                let supported = known.map { "supports versions up to \($0)" } ?? "does not know it"
                let reason = "its component \"\(name)\" has version \(version), and this program \(supported)"
                throw DatabaseError(.newerSchema, "opening", connection.path, reason: reason)
            }
        }
    }

    /// Throws if the file is an empty database, which `check` accepts as a new one.
    func checkIsNotEmpty(_ connection: Connection) throws(DatabaseError) {
        guard try connection.query("pragma application_id", as: Int.self) == [Self.applicationID] else {
            throw DatabaseError(.notADatabase, "opening", connection.path, reason: "it is empty")
        }
    }

    /// Returns whether the file's tables are of this version; a file that is only read is not migrated.
    func isCurrent(_ connection: Connection) throws(DatabaseError) -> Bool {
        let known = Dictionary(uniqueKeysWithValues: components.map { ($0.name, $0.migrations.count) })
        return try versions(in: connection) == known
    }

    /// Runs the migrations that the file lacks, all of them or none.
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

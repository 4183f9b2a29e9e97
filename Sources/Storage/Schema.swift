/// The tables of one kind of database, with the scripts that bring one of an older version to them.
public struct Schema: Sendable {
    /// Four ASCII letters that no other kind of database has, so that none is opened in its place.
    let tag: String
    let version: Int
    /// The first script makes the tables; each further one leads to the next version, the last one to `version`.
    private let scripts: [String]
    /// What makes the views that people query, by engine.
    let views: (sqlite: String, postgreSQL: String)

    /// Makes a schema.
    ///
    /// - Parameters:
    ///   - version: The version of the tables, from 1.
    ///   - scripts: What makes the tables, then the changes of each version since. Never change a released script; a
    ///     database that can be created again may have one script for its newest version instead.
    ///   - views: What makes views for people, with the functions of each engine.
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
}

extension Schema {
    /// Returns the scripts that bring tables of a version to this one; nil if that cannot be done.
    ///
    /// - Parameter found: The version of the tables; 0 if there are none.
    func scripts(from found: Int) -> ArraySlice<String>? {
        guard found != 0 else { return scripts[...] }
        return (version - scripts.count + 1...version).contains(found) ? scripts.suffix(version - found) : nil
    }

    /// Makes the error of tables whose version this program cannot continue.
    func versionError(_ found: Int, in name: String) -> DatabaseError {
        DatabaseError(
            found > version ? .newerSchema : .olderSchema, "opening", name,
            reason: "its tables have version \(found), and this program's have version \(version)")
    }
}

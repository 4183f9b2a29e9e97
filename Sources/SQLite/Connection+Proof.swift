extension Connection {
    /// Proves that the file's pages hold together, as far as `quick_check` looks: not at what values mean.
    func proveWhole() throws(DatabaseError) {
        let findings = try query("pragma quick_check(1)", as: String.self)
        guard findings == ["ok"] else { throw damage(findings.joined(separator: "; ")) }
    }

    /// Proves that there are no fewer commits than were acknowledged.
    func proveComplete(_ acknowledged: Int) throws(DatabaseError) {
        let isCounted = try !query("select 1 from sqlite_schema where name = 'commit_count'", as: Int.self).isEmpty
        let count = isCounted ? try query("select commits from commit_count", as: Int.self)[0] : 0
        guard count >= acknowledged else {
            throw damage(
                "\(acknowledged - count) acknowledged commits are not in it: "
                    + "its -wal is missing or damaged, or an older file is in its place")
        }
    }

    /// The error of a file that is damaged, for those who know what its tables have to say.
    public func damage(_ reason: String) -> DatabaseError {
        // SQLite's findings have several lines; an error has one.
        let line = reason.split(separator: "\n").joined(separator: ": ")
        return DatabaseError(.corrupt, "checking", path, reason: line)
    }
}

import Glibc

extension Database {
    /// What is wrong with a file if another one helps.
    private static let useless: Set<DatabaseError.Kind> = [.corrupt, .newerSchema, .notADatabase]

    /// Opens a file that can be thrown away, or makes a new one in the place of one that this version cannot use;
    /// `discarded` is told why.
    public static func disposable(
        path: String, schema: Schema, discarded: (DatabaseError) -> Void
    ) throws(DatabaseError) -> Database {
        do throws(DatabaseError) {
            return try Database(path: path, schema: schema)
        } catch {
            guard useless.contains(error.kind) else { throw error }
            discarded(error)
            for suffix in ["", "-wal", "-shm", "-lock"] { unlink(path + suffix) }
            return try Database(path: path, schema: schema)
        }
    }
}

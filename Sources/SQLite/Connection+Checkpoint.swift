import CSQLite

extension Connection {
    /// After how many pages the write-ahead log is copied into the file and begins anew; as many as SQLite takes by itself.
    private static let logLimit = 1_000

    /// Takes over from SQLite when the log is copied into the file: the commit that fills it would have its callers wait for
    /// that, too (https://www.sqlite.org/wal.html, "Avoiding Excessively Large WAL Files").
    ///
    /// See docs/decisions/0038-wal-checkpoints.md.
    func takeOverCheckpoints() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_wal_hook(
            handle.pointer,
            { context, _, _, pages in
                guard let context else { return SQLITE_MISUSE }
                Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().logPages = Int(pages)
                return SQLITE_OK
            }, context)
    }

    /// Copies the log into the file if there is enough of it. What a reader or the disk does not allow is done after another
    /// commit; until then it is safe in the log.
    func checkpointIfDue() {
        guard logPages >= Self.logLimit else { return }
        logPages = 0  // until a commit tells again
        sqlite3_wal_checkpoint_v2(handle.pointer, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }
}

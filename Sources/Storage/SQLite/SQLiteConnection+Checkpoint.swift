import CSQLite

extension SQLiteConnection {
    /// The number of pages after which the write-ahead log is copied into the file; SQLite's own default.
    private static let checkpointPages = 1_000
    private static let largestPage = 65_536

    /// Replaces SQLite's automatic checkpoint, so that `tidy()` can run one after the commit has been reported.
    ///
    /// SQLite runs its own inside the commit, and the callers of that commit wait for it
    /// (https://www.sqlite.org/wal.html, "Avoiding Excessively Large WAL Files").
    func disableAutomaticCheckpoints() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                guard let context else { return SQLITE_MISUSE }
                Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue().walPages = Int(pages)
                return SQLITE_OK
            }, context)
    }

    /// Copies the write-ahead log into the file if it is long enough.
    func checkpointIfDue() {
        guard walPages >= Self.checkpointPages else { return }
        walPages = 0  // until the hook of the next commit sets it
        _ = checkpoint(SQLITE_CHECKPOINT_PASSIVE)
    }

    /// Runs a checkpoint, after one that failed with all pages of the file written again.
    ///
    /// See docs/decisions/event-log-integrity.md.
    private func checkpoint(_ mode: Int32) -> Int32 {
        rewritePagesIfUnsure()
        guard !mayLackPages else { return SQLITE_IOERR }
        let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil)
        if code & 0xff == SQLITE_IOERR { mayLackPages = true }
        return code
    }

    /// Writes all pages of the file again, if a checkpoint could not sync them; the next checkpoint syncs them.
    ///
    /// After a failed sync the kernel takes the pages for written, and SQLite repeats only what it has not copied before.
    func rewritePagesIfUnsure() {
        guard mayLackPages else { return }
        var file: UnsafeMutablePointer<sqlite3_file>?
        // SQLite's own descriptor: closing another one would drop the locks that SQLite holds on the file.
        guard
            sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let file, let methods = file.pointee.pMethods?.pointee
        else { return }
        var size: sqlite3_int64 = 0
        guard methods.xFileSize(file, &size) == SQLITE_OK else { return }
        withUnsafeTemporaryAllocation(byteCount: Self.largestPage, alignment: 8) { buffer in
            var offset: sqlite3_int64 = 0
            while offset < size {
                let count = Int32(min(sqlite3_int64(buffer.count), size - offset))
                guard
                    methods.xRead(file, buffer.baseAddress, count, offset) == SQLITE_OK,
                    methods.xWrite(file, buffer.baseAddress, count, offset) == SQLITE_OK
                else { return }
                offset += sqlite3_int64(count)
            }
            mayLackPages = false
        }
    }

    /// Empties the write-ahead log if a write asked for that; returns whether the log is empty.
    func eraseLogIfAsked() -> Bool {
        guard mustEraseLog else { return false }
        // Without waiting for readers: commits wait for this queue.
        sqlite3_busy_timeout(handle, 0)
        defer { sqlite3_busy_timeout(handle, Self.busyTimeout) }
        guard checkpoint(SQLITE_CHECKPOINT_TRUNCATE) == SQLITE_OK else { return false }
        walPages = 0
        mustEraseLog = false
        return true
    }
}

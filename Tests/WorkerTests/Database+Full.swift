import SQLite

extension Database {
    /// Lets the file grow no further, as if its disk were full, or lets it grow again.
    func setFull(_ isFull: Bool) async throws {
        try await write { connection in
            // SQLite takes a limit below the file's size for that size.
            if isFull {
                try connection.execute("pragma max_page_count = 1")
            } else {
                try connection.execute("pragma max_page_count = 1000000")
            }
        }
    }
}

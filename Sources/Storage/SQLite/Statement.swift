import CSQLite

/// The owner of a `sqlite3_stmt *`; a class because a dictionary cannot hold a noncopyable value.
final class Statement: Cells {
    let pointer: OpaquePointer
    let sql: StaticString

    /// Prepares the statement with `sqlite3_prepare_v3`; its connection must outlive it.
    init(_ sql: StaticString, text: String? = nil, on handle: OpaquePointer, name: String) throws(DatabaseError) {
        var pointer: OpaquePointer?
        let code = sqlite3_prepare_v3(
            handle, text ?? sql.description, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
        guard code == SQLITE_OK, let pointer else {
            throw DatabaseError("preparing `\(sql)` on", name, code: code, on: handle)
        }
        self.pointer = pointer
        self.sql = sql
    }

    deinit {
        sqlite3_finalize(pointer)
    }

    // MARK: - Parameters

    func bind(_ values: [StoredValue]) -> Int32 {
        precondition(
            sqlite3_bind_parameter_count(pointer) == values.count,
            "the number of values differs from the number of placeholders: \(sql)")
        for (index, value) in zip(Int32(1)..., values) {
            let code = bind(value, at: index)
            guard code == SQLITE_OK else { return code }
        }
        return SQLITE_OK
    }

    private func bind(_ value: StoredValue, at index: Int32) -> Int32 {
        switch value {
        case .null: sqlite3_bind_null(pointer, index)
        case .integer(let number): sqlite3_bind_int64(pointer, index, number)
        case .text(var text):
            text.withUTF8 { utf8 in
                // An empty text may have no address, and SQLite binds a null pointer as null.
                let start = UnsafeRawPointer(utf8.baseAddress)?.assumingMemoryBound(to: CChar.self)
                return start.map { marquee_sqlite3_bind_text(pointer, index, $0, UInt64(utf8.count)) }
                    ?? marquee_sqlite3_bind_text(pointer, index, "", 0)
            }
        case .bytes(let bytes):
            bytes.isEmpty  // for the same reason
                ? sqlite3_bind_zeroblob(pointer, index, 0)
                : marquee_sqlite3_bind_blob(pointer, index, bytes, UInt64(bytes.count))
        }
    }

    // MARK: - Columns

    func bytes(_ column: Int32) -> [UInt8]? {
        switch sqlite3_column_type(pointer, column) {
        case SQLITE_TEXT, SQLITE_BLOB: Array(bytes(sqlite3_column_blob(pointer, column), column))
        default: nil
        }
    }

    func value(_ column: Int32) -> StoredValue? {
        precondition(column < sqlite3_column_count(pointer), "the query has fewer columns than are read")
        return switch sqlite3_column_type(pointer, column) {
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(pointer, column))
        case SQLITE_BLOB: .bytes(Array(bytes(sqlite3_column_blob(pointer, column), column)))
        case SQLITE_NULL: .null
        // Real numbers are read as text, too; no table of the project has any.
        default: .text(String(decoding: bytes(sqlite3_column_text(pointer, column), column), as: UTF8.self))
        }
    }

    /// Returns the bytes at `start`, from `sqlite3_column_text` or `…_blob`; they are valid until the next step.
    private func bytes(_ start: UnsafeRawPointer?, _ column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(pointer, column)))
    }
}

import CSQLite

extension Statement {
    /// The columns of the row that the statement stands on; an error of kind `corrupt` if one holds something else.
    func row<each Column: Storable>(
        as columns: repeat (each Column).Type, path: String
    ) throws(DatabaseError) -> (repeat each Column) {
        var index: Int32 = 0
        return (repeat try next(as: each columns, at: &index, path: path))
    }

    func next<Value: Storable>(
        as type: Value.Type, at index: inout Int32, path: String
    ) throws(DatabaseError) -> Value {
        defer { index += 1 }
        return try value(index, as: type, path: path)
    }

    /// A column of the row that the statement stands on.
    func value<Value: Storable>(
        _ column: Int32, as type: Value.Type, path: String
    ) throws(DatabaseError) -> Value {
        guard let value = Value(stored: stored(column)) else { throw damage(column, "no \(type)", path: path) }
        return value
    }

    /// The bytes of a column with a text or bytes.
    func bytes(_ column: Int32, path: String) throws(DatabaseError) -> [UInt8] {
        switch sqlite3_column_type(pointer, column) {
        case SQLITE_TEXT, SQLITE_BLOB: Array(bytes(sqlite3_column_blob(pointer, column), column))
        default: throw damage(column, "neither text nor bytes", path: path)
        }
    }

    func damage(_ column: Int32, _ found: String, path: String) -> DatabaseError {
        DatabaseError(
            .corrupt, "reading `\(String(cString: sqlite3_sql(pointer)))` from", path,
            reason: "column \(column) holds \(found)")
    }

    func stored(_ column: Int32) -> StoredValue {
        precondition(column < sqlite3_column_count(pointer), "a query gives fewer columns than are read")
        return switch sqlite3_column_type(pointer, column) {
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(pointer, column))
        case SQLITE_BLOB: .bytes(Array(bytes(sqlite3_column_blob(pointer, column), column)))
        case SQLITE_NULL: .null
        // Real numbers, which no table of ours has, come as text, too.
        default: .text(String(decoding: bytes(sqlite3_column_text(pointer, column), column), as: UTF8.self))
        }
    }

    /// The bytes at `start`, which `sqlite3_column_text` or `…_blob` gave and the next step takes back.
    private func bytes(_ start: UnsafeRawPointer?, _ column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(pointer, column)))
    }
}

import CSQLite

/// The one owner of a `sqlite3_stmt *`; a class because a dictionary can't keep a noncopyable value.
final class Statement {
    let pointer: OpaquePointer

    /// Prepares the statement with `sqlite3_prepare_v3`; it lives at most as long as its connection.
    init(_ sql: StaticString, on handle: OpaquePointer, path: String) throws(DatabaseError) {
        var pointer: OpaquePointer?
        let code = sql.withUTF8Buffer { text in
            text.withMemoryRebound(to: CChar.self) {
                sqlite3_prepare_v3(
                    handle, $0.baseAddress, Int32($0.count), UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
            }
        }
        guard code == SQLITE_OK, let pointer else {
            throw DatabaseError("preparing `\(sql)` on", path, code: code, on: handle)
        }
        self.pointer = pointer
    }

    deinit {
        sqlite3_finalize(pointer)
    }

    /// Binds all parameters, in order.
    func bind(_ values: [StoredValue]) -> Int32 {
        precondition(
            sqlite3_bind_parameter_count(pointer) == values.count,
            "not as many values as placeholders: \(String(cString: sqlite3_sql(pointer)))")
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
                // Where there are no bytes there may be no address, and SQLite would take that for null.
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
}

import CPostgreSQL

/// The owner of a `PGresult *`, whose columns are in the binary format, and the row in it that is read.
final class PostgreSQLResult: Cells {
    let pointer: OpaquePointer
    let sql: StaticString
    var row: Int32 = 0

    init(_ pointer: OpaquePointer, of sql: StaticString) {
        self.pointer = pointer
        self.sql = sql
    }

    deinit {
        PQclear(pointer)
    }

    var rowCount: Int32 { PQntuples(pointer) }
    var columnCount: Int32 { PQnfields(pointer) }

    var changedRows: Int { Int(String(cString: PQcmdTuples(pointer))) ?? 0 }

    // MARK: - Columns

    // The types of https://www.postgresql.org/docs/current/catalog-pg-type.html that tables and queries have.
    private static let bool: Oid = 16
    private static let bytea: Oid = 17
    private static let int8: Oid = 20
    private static let int2: Oid = 21
    private static let int4: Oid = 23
    private static let texts: Set<Oid> = [18, 19, 25, 705, 1042, 1043]

    func value(_ column: Int32) -> StoredValue? {
        precondition(column < PQnfields(pointer), "the query has fewer columns than are read")
        guard PQgetisnull(pointer, row, column) == 0 else { return .null }
        let bytes = bytes(at: column)
        return switch PQftype(pointer, column) {
        // A bool is what SQLite has as 0 or 1.
        case Self.bool, Self.int2, Self.int4, Self.int8: .integer(Self.integer(bytes))
        case Self.bytea: .bytes(Array(bytes))
        case let type where Self.texts.contains(type): .text(String(decoding: bytes, as: UTF8.self))
        default: nil
        }
    }

    func bytes(_ column: Int32) -> [UInt8]? {
        let type = PQftype(pointer, column)
        guard PQgetisnull(pointer, row, column) == 0, type == Self.bytea || Self.texts.contains(type) else {
            return nil
        }
        return Array(bytes(at: column))
    }

    private func bytes(at column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: PQgetvalue(pointer, row, column), count: Int(PQgetlength(pointer, row, column)))
    }

    /// Reads an integer of 1 to 8 bytes, the highest first.
    private static func integer(_ bytes: UnsafeRawBufferPointer) -> Int64 {
        guard let first = bytes.first else { return 0 }
        let sign: Int64 = bytes.count > 1 && first >= 0x80 ? -1 : 0
        return bytes.reduce(sign) { $0 << 8 | Int64($1) }
    }
}

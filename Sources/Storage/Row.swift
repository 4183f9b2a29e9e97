/// The columns of a statement's current row, as an engine has them.
protocol Cells: AnyObject {
    var sql: StaticString { get }
    /// Returns the value of a column, counted from 0; nil if it is of a type that is never stored.
    func value(_ column: Int32) -> StoredValue?
    /// Returns the bytes of a column that holds text or bytes; nil for any other.
    func bytes(_ column: Int32) -> [UInt8]?
}

/// The current row of a query, valid within a closure; each column is read when it is asked for.
public struct Row: ~Copyable {
    private let cells: any Cells
    private let name: String

    /// - Parameter name: What messages call the database.
    init(of cells: any Cells, from name: String) {
        self.cells = cells
        self.name = name
    }

    /// Returns the value of a column, counted from 0.
    ///
    /// - Throws: `DatabaseError` of the kind `corrupt` if the column is of another type.
    public func value<Value: Storable>(
        _ column: Int32, as type: Value.Type = Value.self
    ) throws(DatabaseError) -> Value {
        guard let stored = cells.value(column), let value = Value(stored: stored) else {
            throw unexpectedType(column, "not of the type \(type)")
        }
        return value
    }

    /// Returns the bytes of a column that holds text or bytes, counted from 0.
    ///
    /// - Throws: `DatabaseError` of the kind `corrupt` if the column is of another type.
    public func bytes(_ column: Int32) throws(DatabaseError) -> [UInt8] {
        guard let bytes = cells.bytes(column) else { throw unexpectedType(column, "neither text nor bytes") }
        return bytes
    }

    func values<each Column: Storable>(
        as columns: repeat (each Column).Type
    ) throws(DatabaseError) -> (repeat each Column) {
        var index: Int32 = 0
        return (repeat try next(&index, as: each columns))
    }

    private func next<Value: Storable>(_ index: inout Int32, as type: Value.Type) throws(DatabaseError) -> Value {
        defer { index += 1 }
        return try value(index, as: type)
    }

    private func unexpectedType(_ column: Int32, _ description: String) -> DatabaseError {
        DatabaseError(
            .corrupt, "reading `\(cells.sql)` from", name, reason: "column \(column) is \(description)")
    }
}

/// The row that a query stands on, lent for the length of a closure; its columns are read one by one, when asked for.
public struct Row: ~Copyable {
    let statement: Statement
    let path: String

    init(statement: Statement, path: String) {
        self.statement = statement
        self.path = path
    }

    /// The value of a column, counted from 0; an error of kind `corrupt` if it holds something else.
    public func value<Value: Storable>(
        _ column: Int32, as type: Value.Type = Value.self
    ) throws(DatabaseError) -> Value {
        try statement.value(column, as: type, path: path)
    }

    /// The bytes of a column that holds a text or bytes; an error of kind `corrupt` if it holds something else.
    public func bytes(_ column: Int32) throws(DatabaseError) -> [UInt8] {
        try statement.bytes(column, path: path)
    }
}

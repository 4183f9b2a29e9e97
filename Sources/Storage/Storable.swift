/// The value of a column or of a statement's parameter.
public enum StoredValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    /// The value as both engines can have it: PostgreSQL's texts cannot have the character 0.
    var withoutZeros: StoredValue {
        guard case .text(let text) = self, text.utf8.contains(0) else { return self }
        return .text(String(text.map { $0 == "\0" ? "\u{FFFD}" : $0 }))
    }
}

/// A type whose values can be bound to a statement's parameters and read from a row's columns.
public protocol Storable {
    /// The value as the database stores it.
    var stored: StoredValue { get }

    /// Makes the value from a stored value; returns nil if that is of another type.
    init?(stored: StoredValue)
}

extension Int: Storable {
    /// The number itself.
    public var stored: StoredValue { .integer(Int64(self)) }

    /// Reads an integer; returns nil for any other value.
    public init?(stored: StoredValue) {
        guard case .integer(let number) = stored else { return nil }
        self.init(exactly: number)
    }
}

extension String: Storable {
    /// The text itself.
    public var stored: StoredValue { .text(self) }

    /// Reads a text; returns nil for any other value.
    public init?(stored: StoredValue) {
        guard case .text(let text) = stored else { return nil }
        self = text
    }
}

extension [UInt8]: Storable {
    /// The bytes themselves.
    public var stored: StoredValue { .bytes(self) }

    /// Reads a blob; returns nil for any other value.
    public init?(stored: StoredValue) {
        guard case .bytes(let bytes) = stored else { return nil }
        self = bytes
    }
}

extension Optional: Storable where Wrapped: Storable {
    /// The value, or null.
    public var stored: StoredValue { self?.stored ?? .null }

    /// Reads null, and the values that the wrapped type reads.
    public init?(stored: StoredValue) {
        if stored == .null {
            self = .none
        } else {
            guard let value = Wrapped(stored: stored) else { return nil }
            self = .some(value)
        }
    }
}

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
    let cells: any Cells
    let name: String

    /// Returns the value of a column, counted from 0.
    public func value<Value: Storable>(
        _ column: Int32, as type: Value.Type = Value.self
    ) throws(DatabaseError) -> Value {
        guard let stored = cells.value(column), let value = Value(stored: stored) else {
            throw unexpectedType(column, "not of the type \(type)")
        }
        return value
    }

    /// Returns the bytes of a column that holds text or bytes, counted from 0.
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

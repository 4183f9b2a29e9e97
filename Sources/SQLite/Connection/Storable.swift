/// What a column of a row, or a parameter of a statement, can hold.
public enum StoredValue: Hashable, Sendable {
    /// Nothing.
    case null
    /// A whole number.
    case integer(Int64)
    /// Text, in UTF-8.
    case text(String)
    /// Bytes as they are.
    case bytes([UInt8])
}

/// A type whose values can be bound to a statement's parameters and read from a row's columns.
public protocol Storable {
    /// The value as the database keeps it.
    var stored: StoredValue { get }

    /// Makes the value from what the database kept, or nothing if that is something else.
    init?(stored: StoredValue)
}

extension Int: Storable {
    /// The number itself.
    public var stored: StoredValue { .integer(Int64(self)) }

    /// Takes integers only.
    public init?(stored: StoredValue) {
        guard case .integer(let number) = stored else { return nil }
        self.init(exactly: number)
    }
}

extension String: Storable {
    /// The text itself.
    public var stored: StoredValue { .text(self) }

    /// Takes text only.
    public init?(stored: StoredValue) {
        guard case .text(let text) = stored else { return nil }
        self = text
    }
}

extension [UInt8]: Storable {
    /// The bytes themselves.
    public var stored: StoredValue { .bytes(self) }

    /// Takes bytes only.
    public init?(stored: StoredValue) {
        guard case .bytes(let bytes) = stored else { return nil }
        self = bytes
    }
}

extension Optional: Storable where Wrapped: Storable {
    /// The value, or null.
    public var stored: StoredValue { self?.stored ?? .null }

    /// Takes null, and whatever the wrapped type takes.
    public init?(stored: StoredValue) {
        if stored == .null {
            self = .none
        } else {
            guard let value = Wrapped(stored: stored) else { return nil }
            self = .some(value)
        }
    }
}

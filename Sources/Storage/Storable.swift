/// The value of a column or of a statement's parameter.
public enum StoredValue: Hashable, Sendable {
    /// The null value.
    case null
    /// An integer.
    case integer(Int64)
    /// Text, in UTF-8.
    case text(String)
    /// A blob.
    case bytes([UInt8])

    /// The value as both engines can have it: PostgreSQL's texts cannot have the character 0.
    var withoutZeros: StoredValue {
        guard case .text(let text) = self, text.utf8.contains(0) else { return self }
        return .text(String(text.map { $0 == "\0" ? "\u{FFFD}" : $0 }))
    }
}

/// A type whose values can be bound to a statement's parameters and read from a row's columns.
///
/// `Int`, `String`, `[UInt8]` and optionals of storable types conform.
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

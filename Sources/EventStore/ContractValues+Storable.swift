public import Contract
public import Storage

extension SequenceNumber: Storable {
    /// The number as an integer.
    public var stored: StoredValue { .integer(Int64(value)) }

    /// Makes a sequence number from an integer in range.
    public init?(stored: StoredValue) {
        guard let number = Int(stored: stored), let value = UInt64(exactly: number) else { return nil }
        self.init(value)
    }
}

extension Stream: Storable {
    /// The stream's word.
    public var stored: StoredValue { .text(rawValue) }

    /// Makes a stream from its word.
    public init?(stored: StoredValue) {
        guard let word = String(stored: stored) else { return nil }
        self.init(rawValue: word)
    }
}

extension Topic: Storable {
    /// The topic as text.
    public var stored: StoredValue { .text(description) }

    /// Makes a topic from its text.
    public init?(stored: StoredValue) {
        guard let text = String(stored: stored) else { return nil }
        self.init(text)
    }
}

extension RequestID: Storable {
    /// The id as text.
    public var stored: StoredValue { .text(description) }

    /// Makes an id from its text.
    public init?(stored: StoredValue) {
        guard let text = String(stored: stored) else { return nil }
        self.init(text)
    }
}

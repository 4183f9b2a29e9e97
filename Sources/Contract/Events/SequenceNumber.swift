public import JSONCoding
import Text

/// The position of an event in its stream, from 1. Its text has sixteen digits, so texts sort in the order of numbers.
public struct SequenceNumber: Hashable, Sendable {
    /// The sequence before the first event.
    public static let zero = SequenceNumber(unchecked: 0)
    private static let digits = 16
    private static let largest: UInt64 = 9_999_999_999_999_999

    /// The number.
    public let value: UInt64

    /// Makes a number, or nil if it takes more than sixteen digits.
    public init?(_ value: UInt64) {
        guard value <= Self.largest else { return nil }
        self.value = value
    }

    private init(unchecked value: UInt64) {
        self.value = value
    }

    /// Returns the sequence `count` events later, or the largest sequence.
    public func advanced(by count: UInt64) -> SequenceNumber {
        // Fits: both have sixteen digits.
        SequenceNumber(unchecked: min(value + min(count, Self.largest), Self.largest))
    }
}

extension SequenceNumber: Comparable {
    /// Orders sequences like their events.
    public static func < (one: SequenceNumber, other: SequenceNumber) -> Bool {
        one.value < other.value
    }
}

extension SequenceNumber: CustomStringConvertible {
    /// The number's sixteen digits.
    public var description: String {
        String(utf8Capacity: Self.digits) { $0.append(digitsOf: value, width: Self.digits) }
    }

    /// Reads sixteen digits.
    public init?(_ text: some StringProtocol) {
        let text = String(text)
        self.init(digits: text.utf8.span)
    }

    /// Reads sixteen digits from bytes.
    init?(digits: Span<UInt8>) {
        guard digits.count == Self.digits, let value = UInt64(digits: digits) else { return nil }
        self.init(value)
    }
}

extension SequenceNumber: StringRepresentable {
    /// The noun in error texts.
    public static let noun = "sequence number"
}

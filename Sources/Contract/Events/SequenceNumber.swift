public import JSONReading

/// The place of an event in its stream, from 1; written with sixteen digits so that texts sort as numbers do.
public struct SequenceNumber: Hashable, Sendable {
    /// The place before the first event.
    public static let zero = SequenceNumber(unchecked: 0)
    private static let digits = 16
    private static let largest: UInt64 = 9_999_999_999_999_999

    /// The number.
    public let value: UInt64

    /// Makes a number, or nothing if it takes more than sixteen digits.
    public init?(_ value: UInt64) {
        guard value <= Self.largest else { return nil }
        self.value = value
    }

    private init(unchecked value: UInt64) {
        self.value = value
    }

    /// The place `count` events further on, or the largest there is.
    public func advanced(by count: UInt64) -> SequenceNumber {
        SequenceNumber(unchecked: min(value + min(count, Self.largest), Self.largest))
    }
}

extension SequenceNumber: Comparable {
    /// Orders numbers as their events are.
    public static func < (one: SequenceNumber, other: SequenceNumber) -> Bool {
        one.value < other.value
    }
}

extension SequenceNumber: CustomStringConvertible {
    /// The number's sixteen digits.
    public var description: String {
        String(unsafeUninitializedCapacity: Self.digits) { bytes in
            var rest = value
            for place in (0..<Self.digits).reversed() {
                bytes[place] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            }
            return Self.digits
        }
    }

    /// Reads sixteen digits.
    public init?(_ text: some StringProtocol) {
        self.init(digits: text.utf8)
    }

    /// Reads sixteen digits from bytes.
    init?(digits: some Collection<UInt8>) {
        guard digits.count == Self.digits else { return nil }
        var value: UInt64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            value = value * 10 + UInt64(digit - UInt8(ascii: "0"))
        }
        self.init(value)
    }
}

extension SequenceNumber: JSONText {
    /// What it is called where a text is none.
    public static let noun = "sequence number"
}

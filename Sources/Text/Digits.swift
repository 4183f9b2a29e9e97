// Decimal digits in ASCII, for numbers that are read or written too often for `Int(_:)` and `String(_:)`.

extension UInt8 {
    /// The value of an ASCII digit; nil for any other byte.
    public var decimalDigit: UInt8? {
        let value = self &- UInt8(ascii: "0")
        return value < 10 ? value : nil
    }
}

extension FixedWidthInteger {
    /// Makes a number from one or more ASCII digits.
    ///
    /// - Returns: nil for no bytes, for any other byte, and for a number that does not fit.
    public init?(digits: Span<UInt8>) {
        guard !digits.isEmpty else { return nil }
        var number: Self = 0
        for index in digits.indices {
            guard let digit = digits[index].decimalDigit else { return nil }
            let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isTooFar) = tens.addingReportingOverflow(Self(digit))
            guard !isTooLarge, !isTooFar else { return nil }
            number = sum
        }
        self = number
    }
}

extension UInt64 {
    /// The number of decimal digits, without leading zeros; 1 for zero.
    public var digitCount: Int {
        let maximum = 20
        var (count, bound) = (1, 10 as UInt64)
        while count < maximum, self >= bound {
            count += 1
            bound &*= 10  // wraps only after the last comparison
        }
        return count
    }
}

extension MutableSpan<UInt8> {
    /// Writes the last decimal digits of a number into a range of bytes, with zeros in front if it has fewer.
    public mutating func write(digitsOf number: UInt64, into range: Range<Int>) {
        var rest = number
        for index in range.reversed() {
            self[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }
}

extension OutputSpan<UInt8> {
    /// Appends the last `width` decimal digits of a number, with zeros in front if it has fewer.
    public mutating func append(digitsOf number: UInt64, width: Int) {
        let start = count
        append(repeating: UInt8(ascii: "0"), count: width)
        var bytes = mutableSpan
        bytes.write(digitsOf: number, into: start..<start + width)
    }
}

extension String {
    /// Makes a string from the UTF-8 that `write` appends, at most `utf8Capacity` bytes.
    public init(utf8Capacity: Int, initializingWith write: (inout OutputSpan<UInt8>) -> Void) {
        self.init(unsafeUninitializedCapacity: utf8Capacity) { buffer in
            var output = OutputSpan(buffer: buffer, initializedCount: 0)
            write(&output)
            return output.finalize(for: buffer)
        }
    }
}

public import FoundationEssentials
import Glibc

extension Date {
    /// The instant in UTC, to the nearest millisecond: `2026-11-21T06:23:00.123Z` (RFC 3339). Years have four digits.
    ///
    /// By `gmtime_r`: Foundation's style takes a hundred times as long, and every event and every line of a log has one.
    public var rfc3339: String {
        // Rounded first: a Date is a binary fraction, and 0.123 s may lie a hair below its millisecond.
        let milliseconds = Int((timeIntervalSince1970 * 1000).rounded())
        var seconds = milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0)
        var fields = tm()
        gmtime_r(&seconds, &fields)
        return String(unsafeUninitializedCapacity: 24) { text in
            var place = 0
            func put(_ number: Int, _ digits: Int, _ sign: Unicode.Scalar) {
                var rest = number
                for index in (place..<place + digits).reversed() {
                    text[index] = UInt8(ascii: "0") + UInt8(rest % 10)
                    rest /= 10
                }
                text[place + digits] = UInt8(ascii: sign)
                place += digits + 1
            }
            put(Int(fields.tm_year) + 1900, 4, "-")
            put(Int(fields.tm_mon) + 1, 2, "-")
            put(Int(fields.tm_mday), 2, "T")
            put(Int(fields.tm_hour), 2, ":")
            put(Int(fields.tm_min), 2, ":")
            put(Int(fields.tm_sec), 2, ".")
            put(milliseconds - seconds * 1000, 3, "Z")
            return place
        }
    }
}

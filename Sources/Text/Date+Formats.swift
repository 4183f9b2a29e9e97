public import FoundationEssentials
import Glibc

extension Date {
    /// The instant in UTC, rounded to a millisecond: `2026-11-21T06:23:00.123Z` (RFC 3339).
    ///
    /// The year must have four digits.
    public var rfc3339: String {
        // Every event and every log line has a time, and Foundation's format style takes a hundred times as long as gmtime_r.
        // Rounded first: a Date is a binary fraction, and 0.123 s may be slightly below its millisecond.
        let milliseconds = Int((timeIntervalSince1970 * 1000).rounded())
        var seconds = milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0)
        var fields = tm()
        gmtime_r(&seconds, &fields)
        return String(utf8Capacity: 24) { text in
            func append(_ number: Int, width: Int, _ sign: Unicode.Scalar) {
                text.append(digitsOf: UInt64(number), width: width)
                text.append(UInt8(ascii: sign))
            }
            append(Int(fields.tm_year) + 1900, width: 4, "-")
            append(Int(fields.tm_mon) + 1, width: 2, "-")
            append(Int(fields.tm_mday), width: 2, "T")
            append(Int(fields.tm_hour), width: 2, ":")
            append(Int(fields.tm_min), width: 2, ":")
            append(Int(fields.tm_sec), width: 2, ".")
            append(milliseconds - seconds * 1000, width: 3, "Z")
        }
    }

    /// The whole milliseconds since 1970-01-01 00:00 UTC, rounded towards it: never later than the date itself.
    public var millisecondsSince1970: Int { Int(timeIntervalSince1970 * 1000) }

    /// Makes the date that is this many milliseconds after 1970-01-01 00:00 UTC.
    public init(millisecondsSince1970 milliseconds: Int) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}

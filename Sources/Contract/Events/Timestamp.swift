import BoxOffice
public import FoundationEssentials
import Text

/// The text of an instant on the wire: RFC 3339 in UTC with milliseconds, `2026-11-21T06:23:00.123Z`.
public enum Timestamp {
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// The instant, to the nearest millisecond.
    public static func text(_ instant: Date) -> String { instant.rfc3339 }

    /// The instant that a text stands for, or nil if it is not one.
    static func instant(_ text: String) -> Date? {
        if let instant = usual(text) { return instant }
        guard let parsed = try? style.parse(text) else { return nil }  // the error says no more than nil does
        return Date(timeIntervalSince1970: (parsed.timeIntervalSince1970 * 1000).rounded() / 1000)
    }

    /// The instant of a text as we write it, without the style, which takes a hundred times as long; nil if it is another.
    private static func usual(_ text: String) -> Date? {
        var text = text
        return text.withUTF8 { bytes -> Date? in
            guard bytes.count == 24, bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"),
                bytes[16] == UInt8(ascii: ":"), bytes[19] == UInt8(ascii: "."), bytes[23] == UInt8(ascii: "Z"),
                let day = KoreanDate(digits: UnsafeBufferPointer(rebasing: bytes[..<10])),
                let hour = number(bytes[11..<13]), hour < 24, let minute = number(bytes[14..<16]), minute < 60,
                let second = number(bytes[17..<19]), second < 60, let millisecond = number(bytes[20..<23])
            else { return nil }
            // A day of the calendar is one of UTC's as well.
            let seconds = ((day.dayNumber * 24 + hour) * 60 + minute) * 60 + second
            return Date(timeIntervalSince1970: Double(seconds * 1000 + millisecond) / 1000)
        }
    }

    private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        var number = 0
        for byte in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return number
    }
}

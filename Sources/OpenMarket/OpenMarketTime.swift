public import JSONCoding
import Text

/// A time of the Open Market, to the millisecond.
///
/// The service sends no time zone; its times are assumed to be Korea's (+09:00).
public struct OpenMarketTime: Hashable, Comparable, Sendable, StringRepresentable {
    /// The type's name in error messages.
    public static let noun = "time"
    private static let zone = "+09:00"

    /// The time in RFC 3339, `2022-01-19T08:25:27.270+09:00`, without a fraction that is zero.
    public let description: String

    /// Parses `2022-01-04T00:00:00.00`, `2021-12-29 00:00:00.000`, `2022-01-19T08:25:27.27` or `2022-11-04T00:00:00`,
    /// and the format of ``description``. The digits after the point are a fraction of a second, whatever their number.
    public init?(_ text: String) {
        let zone = Array(Self.zone.utf8)
        var bytes = Array(text.utf8)
        if bytes.suffix(zone.count).elementsEqual(zone) { bytes.removeLast(zone.count) }
        guard bytes.count >= 19 else { return nil }
        func number(_ range: Range<Int>) -> Int? { Int(digits: bytes.span.extracting(range)) }
        let marks = [(4, "-"), (7, "-"), (13, ":"), (16, ":")]
        guard marks.allSatisfy({ bytes[$0] == $1.utf8.first }),
            [UInt8(ascii: "T"), UInt8(ascii: " ")].contains(bytes[10]),
            let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day), hour < 24, minute < 60,
            second < 60
        else { return nil }
        var fraction = ""
        if bytes.count > 19 {
            guard bytes[19] == UInt8(ascii: "."), (21...29).contains(bytes.count), number(20..<bytes.count) != nil
            else { return nil }
            let milliseconds = String(decoding: (bytes[20...] + [0x30, 0x30]).prefix(3), as: UTF8.self)
            if milliseconds != "000" { fraction = ".\(milliseconds)" }
        }
        let (date, time) = (
            String(decoding: bytes[..<10], as: UTF8.self), String(decoding: bytes[11..<19], as: UTF8.self)
        )
        description = "\(date)T\(time)\(fraction)\(Self.zone)"
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: (year.isMultiple(of: 4) && !year.isMultiple(of: 100)) || year.isMultiple(of: 400) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Whether the first time is earlier; a time without a fraction comes first, because `+` comes before `.`.
    public static func < (one: OpenMarketTime, other: OpenMarketTime) -> Bool { one.description < other.description }
}

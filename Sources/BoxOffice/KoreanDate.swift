public import FoundationEssentials
public import JSONCoding
public import Text

/// A day in Korea (UTC+9, without summer time since 1988), written `YYYY-MM-DD`.
///
/// Pure arithmetic on the proleptic Gregorian calendar: neither the machine's time zone nor its time zone data matter.
public struct KoreanDate: Hashable, Comparable, Sendable {
    /// Days since 1970-01-01.
    public let dayNumber: Int  // Fits: texts have years of four digits, and other instants are the clock's.

    /// The first day for which the Korean Film Council has a chart.
    public static let firstChart = KoreanDate(dayNumber: 12_367)  // 2003-11-11

    /// Makes the day that is `dayNumber` days after 1970-01-01.
    public init(dayNumber: Int) {
        self.dayNumber = dayNumber
    }

    /// Makes a day of the calendar, or nil if there is no such day.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        // Years begin in March here, so that the leap day is a year's last: 153 days are five months of 31, 30, 31, 30, 31.
        let shifted = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let leapDays = shifted / 4 - shifted / 100 + shifted / 400
        self.init(dayNumber: 365 * shifted + leapDays + dayOfYear - 719_468)
        guard self.day == day else { return nil }
    }

    /// Makes the day on which `instant` lies in Korea.
    public init(at instant: Date) {
        let seconds = instant.timeIntervalSince1970 + Self.offset
        // Fits: as `dayNumber`.
        self.init(dayNumber: Int((seconds / Self.secondsPerDay).rounded(.down)))
    }

    /// Returns the day before the one on which `instant` lies in Korea.
    public static func yesterday(at instant: Date) -> KoreanDate { KoreanDate(at: instant) - 1 }

    /// The instant at which the day begins in Korea.
    public var start: Date {
        Date(timeIntervalSince1970: Double(dayNumber) * Self.secondsPerDay - Self.offset)
    }

    /// The day's year.
    public var year: Int { civil.year }
    /// The month, 1 to 12.
    public var month: Int { civil.month }
    /// The day of the month, 1 to 31.
    public var day: Int { civil.day }

    /// The day of the week, 0 (Monday) to 6 (Sunday).
    public var weekday: Int {
        let index = (dayNumber + 3) % 7
        return index < 0 ? index + 7 : index
    }

    /// The day `days` later.
    public static func + (date: KoreanDate, days: Int) -> KoreanDate { KoreanDate(dayNumber: date.dayNumber + days) }

    /// The day `days` earlier.
    public static func - (date: KoreanDate, days: Int) -> KoreanDate { date + -days }

    /// Returns the number of days from `earlier` to `later`.
    public static func - (later: KoreanDate, earlier: KoreanDate) -> Int { later.dayNumber - earlier.dayNumber }

    /// Orders days by the calendar.
    public static func < (one: KoreanDate, other: KoreanDate) -> Bool { one.dayNumber < other.dayNumber }

    private static let offset = 9.0 * 3600
    private static let secondsPerDay = 86_400.0

    /// The day's year, month and day, computed together.
    var civil: (year: Int, month: Int, day: Int) {
        // The inverse of `init(year:month:day:)`: eras of 400 years have 146,097 days.
        let shifted = dayNumber + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }
}

// MARK: - Text

extension KoreanDate: StringRepresentable {
    /// Reads `YYYY-MM-DD` or `YYYYMMDD`, digits in ASCII only.
    public init?(_ text: some StringProtocol) {
        let text = String(text)
        self.init(digits: text.utf8.span)
    }

    /// Reads the bytes of such a text.
    public init?(digits bytes: Span<UInt8>) {
        let dash = bytes.count == 10 ? 1 : 0
        guard bytes.count == 8 + 2 * dash else { return nil }
        if dash > 0 {
            guard bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else { return nil }
        }
        guard let year = Int(digits: bytes.extracting(..<4)),
            let month = Int(digits: bytes.extracting(4 + dash..<6 + dash)),
            let day = Int(digits: bytes.extracting(droppingFirst: 6 + 2 * dash))
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// The day as `YYYY-MM-DD`.
    public var description: String { text(dashes: true) }

    /// The day as `YYYYMMDD`, the form the Korean Film Council's API asks for.
    public var compact: String { text(dashes: false) }

    private func text(dashes: Bool) -> String {
        let (year, month, day) = civil
        // Only arithmetic leads to such a year; none can be parsed.
        guard (0...9999).contains(year) else { return "\(year)-\(month)-\(day)" }
        return String(utf8Capacity: 10) { text in
            text.append(digitsOf: UInt64(year), width: 4)
            if dashes { text.append(UInt8(ascii: "-")) }
            text.append(digitsOf: UInt64(month), width: 2)
            if dashes { text.append(UInt8(ascii: "-")) }
            text.append(digitsOf: UInt64(day), width: 2)
        }
    }

    /// The noun in error texts.
    public static let noun = "day of the calendar"
}

/// The days that a weekly chart adds up: a week from Monday to Sunday, or a part of it.
public struct Week: Hashable, Sendable, CustomStringConvertible {
    /// The days of a week; the raw value is the word in requests and topics.
    public enum Span: String, Hashable, Sendable, CaseIterable, Codable {
        /// Monday to Sunday.
        case week
        /// Friday to Sunday.
        case weekend
        /// Monday to Thursday.
        case weekdays
    }

    /// The days of the week.
    public let span: Span
    /// The first day.
    public let firstDay: KoreanDate

    /// Makes the span of the week that `date` lies in; `date` itself may lie outside it, as a Tuesday before a weekend.
    public init(of date: KoreanDate, span: Span) {
        let monday = date - date.weekday
        self.span = span
        firstDay = span == .weekend ? monday + 4 : monday
    }

    /// The same days of the week before.
    public var previous: Week { Week(of: firstDay - 7, span: span) }

    /// The last day, which decides whether the chart is provisional or settled.
    public var lastDay: KoreanDate {
        switch span {
        case .week: firstDay + 6
        case .weekend: firstDay + 2
        case .weekdays: firstDay + 3
        }
    }

    /// The first and the last day, as `2024-06-07~2024-06-09`.
    public var description: String { "\(firstDay)~\(lastDay)" }
}

extension Week.Span {
    /// Returns the name of a chart of these days.
    public func name(in language: Language) -> String {
        switch self {
        case .week: language("주간", "Weekly")
        case .weekend: language("주말", "Weekend")
        case .weekdays: language("주중", "Weekday")
        }
    }
}

public import Text

/// The days that a weekly chart adds up: a week from Monday to Sunday, or a part of it.
public struct Week: Hashable, Sendable {
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

extension Week: CustomStringConvertible {
    /// The first and the last day, as `2024-06-07~2024-06-09`.
    public var description: String { "\(firstDay)~\(lastDay)" }
}

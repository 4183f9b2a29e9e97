import Foundation
import Testing

@testable import BoxOffice

@Suite struct KoreanDateTests {
    /// The Gregorian calendar in Korea's offset, by Foundation.
    private let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 9 * 3600) ?? .gmt
        return calendar
    }()

    private func instant(_ text: String) throws -> Date {
        try Date(text, strategy: .iso8601)
    }

    @Test func everyDayFrom1900To2100IsTheCalendars() throws {
        let first = try #require(KoreanDate(year: 1900, month: 1, day: 1))
        let last = try #require(KoreanDate(year: 2100, month: 12, day: 31))
        #expect(last - first == 73_413)
        for number in first.dayNumber...last.dayNumber {
            let date = KoreanDate(dayNumber: number)
            let parts = calendar.dateComponents([.year, .month, .day, .weekday, .hour, .minute], from: date.start)
            let isSame =
                (date.year, date.month, date.day) == (parts.year, parts.month, parts.day)
                && (parts.hour, parts.minute) == (0, 0)
                && (date.weekday + 1) % 7 + 1 == parts.weekday
                && KoreanDate(year: date.year, month: date.month, day: date.day) == date
                && KoreanDate(at: date.start) == date
                && KoreanDate(date.description) == date
                && KoreanDate(date.compact) == date
            // One expectation for a day that differs, none for the 73,414 that do not: recording each takes seconds.
            if !isSame { Issue.record("\(date) differs from \(parts)") }
        }
    }

    @Test(arguments: [
        (2023, 2, 29), (2024, 2, 30), (1900, 2, 29), (2100, 2, 29), (2024, 4, 31), (2024, 0, 1), (2024, 13, 1),
        (2024, 1, 0), (2024, 1, 32), (0, 1, 1), (10_000, 1, 1), (-1, 1, 1),
    ])
    func aDayThatIsNotInTheCalendarCannotBeMade(year: Int, month: Int, day: Int) {
        #expect(KoreanDate(year: year, month: month, day: day) == nil)
    }

    @Test(arguments: [(2024, 2, 29), (2000, 2, 29), (2023, 2, 28), (1, 1, 1), (9999, 12, 31)])
    func aDayOfTheCalendarCanBeMade(year: Int, month: Int, day: Int) throws {
        let date = try #require(KoreanDate(year: year, month: month, day: day))
        #expect((date.year, date.month, date.day) == (year, month, day))
    }

    @Test func daysBefore1970AreCountedDown() throws {
        let date = try #require(KoreanDate(year: 1969, month: 12, day: 31))
        #expect(date.dayNumber == -1)
        #expect(date.weekday == 2)
        #expect(KoreanDate(at: Date(timeIntervalSince1970: -9 * 3600 - 1)) == date)
    }

    @Test(arguments: [
        ("2026-11-21T14:59:59Z", "2026-11-21", "2026-11-20"),
        ("2026-11-21T15:00:00Z", "2026-11-22", "2026-11-21"),
        ("2026-12-31T15:00:00Z", "2027-01-01", "2026-12-31"),
        ("2024-02-29T14:59:59Z", "2024-02-29", "2024-02-28"),
        ("2024-02-29T15:00:00Z", "2024-03-01", "2024-02-29"),
    ])
    func theDayChangesAtThreeInTheAfternoonUniversalTime(at text: String, today: String, yesterday: String) throws {
        let instant = try instant(text)
        #expect(KoreanDate(at: instant).description == today)
        #expect(KoreanDate.yesterday(at: instant).description == yesterday)
    }

    @Test func theLastMomentOfADayIsStillThatDay() throws {
        let midnight = try instant("2026-11-21T15:00:00Z")
        #expect(KoreanDate(at: midnight.addingTimeInterval(-0.000_1)).description == "2026-11-21")
    }

    @Test func theFirstChartIsOf11November2003() {
        #expect(KoreanDate.firstChart.description == "2003-11-11")
    }

    @Test func textIsReadWithAndWithoutHyphens() throws {
        let date = try #require(KoreanDate(year: 2024, month: 6, day: 4))
        #expect(KoreanDate("2024-06-04") == date)
        #expect(KoreanDate("20240604") == date)
        #expect(KoreanDate("x20240604".dropFirst()) == date)
        #expect(date.description == "2024-06-04")
        #expect(date.compact == "20240604")
        #expect(try #require(KoreanDate(year: 7, month: 1, day: 2)).description == "0007-01-02")
    }

    @Test(arguments: [
        "", "yesterday", "2024-6-4", "2024-06-4 ", " 20240604", "2024/06/04", "2024-0604", "202406-04", "240604",
        "2024-06-31", "20240631", "20240000", "+2024064", "-2024064", "２０２４０６０４", "2024-06-04T00:00:00Z",
        "2024\u{2011}06\u{2011}04", "2024_06_04", "99999999",
    ])
    func textThatIsNoDayIsRefused(text: String) {
        #expect(KoreanDate(text) == nil)
    }

    @Test func daysAddUpAndCompare() throws {
        let date = try #require(KoreanDate("2024-02-28"))
        #expect((date + 2).description == "2024-03-01")
        #expect((date - 59).description == "2023-12-31")
        #expect(date + 366 - date == 366)
        #expect(date < date + 1)
    }

    @Test func jsonIsAStringWithHyphens() throws {
        let date = try #require(KoreanDate("20240604"))
        #expect(try jsonText(date) == #""2024-06-04""#)
        #expect(try roundTrip(date) == date)
        #expect(throws: DecodingError.self) { try readJSON(KoreanDate.self, #""2024-02-30""#) }
    }
}

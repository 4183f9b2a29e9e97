import BoxOffice

/// A week of openings, from Monday to Sunday, counted from the one that holds 1970-01-01.
struct ReleaseWeek: Hashable, Sendable {
    let number: Int

    init(number: Int) {
        self.number = number
    }

    /// The week that `date` lies in.
    init(of date: KoreanDate) {
        number = (date.dayNumber - date.weekday + 3) / 7
    }

    var monday: KoreanDate {
        KoreanDate(dayNumber: number * 7 - 3)
    }

    /// The year that the week counts to (ISO 8601: the one of its Thursday) and its number there, from 1.
    var ordinal: (year: Int, week: Int) {
        let thursday = monday + 3
        let newYear = KoreanDate(year: thursday.year, month: 1, day: 1) ?? thursday
        return (thursday.year, (thursday - newYear) / 7 + 1)
    }

    /// The first week of `year` (ISO 8601: the one that holds January 4th).
    static func first(of year: Int) -> ReleaseWeek? {
        KoreanDate(year: year, month: 1, day: 4).map(ReleaseWeek.init(of:))
    }

    static func + (week: ReleaseWeek, weeks: Int) -> ReleaseWeek {
        ReleaseWeek(number: week.number + weeks)
    }

    static func - (week: ReleaseWeek, weeks: Int) -> ReleaseWeek {
        ReleaseWeek(number: week.number - weeks)
    }
}

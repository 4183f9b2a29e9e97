import BoxOffice

/// The attendance of all cinemas on a day, whatever they show: 1 is a normal Friday.
enum AudienceModel {
    /// Returns the factor by which attendance differs from a normal Friday.
    static func attendanceFactor(on date: KoreanDate) -> Double {
        let (year, month, day) = (date.year, date.month, date.day)
        return yearFactor(year) * seasonFactor(month, day)
            * weekdayFactor(date, isHoliday: isHoliday(month, day))
    }

    /// Returns the average price of a ticket, in won.
    static func ticketPrice(in year: Int) -> Double {
        switch year {
        case ...2008: 6300
        case ...2012: 7400
        case ...2017: 7800
        case ...2019: 8400
        case ...2021: 9200
        default: 9900
        }
    }

    /// The market grew until 2013, stayed level, collapsed in 2020 and has partly recovered.
    private static func yearFactor(_ year: Int) -> Double {
        switch year {
        case ...2003: 0.55
        case 2004...2012: 0.55 + 0.05 * Double(year - 2003)
        case 2013...2019: 1.0
        case 2020...2021: 0.28
        case 2022: 0.5
        default: 0.58
        }
    }

    private static func seasonFactor(_ month: Int, _ day: Int) -> Double {
        switch (month, day) {
        case (1, 1...20), (12, 20...): 1.35
        case (7, 20...), (8, 1...20): 1.5
        case (3, _), (4, _), (11, _): 0.75
        default: 1.0
        }
    }

    private static func weekdayFactor(_ date: KoreanDate, isHoliday: Bool) -> Double {
        if isHoliday { return 1.9 }
        switch date.weekday {
        case 0, 1: return 0.62
        case 2: return isCultureDay(date) ? 1.05 : 0.7
        case 3: return 0.64
        case 4: return 1.0
        case 5: return 2.1
        default: return 1.85
        }
    }

    /// Whether tickets are cheap: on the last Wednesday of a month.
    static func isCultureDay(_ date: KoreanDate) -> Bool {
        date.weekday == 2 && date.year >= 2014 && (date + 7).month != date.month
    }

    /// Whether a day is a holiday with a fixed date; the two of the lunar calendar are left out.
    private static func isHoliday(_ month: Int, _ day: Int) -> Bool {
        switch (month, day) {
        case (1, 1), (3, 1), (5, 5), (6, 6), (8, 15), (10, 3), (10, 9), (12, 25): true
        default: false
        }
    }
}

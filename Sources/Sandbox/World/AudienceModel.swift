import BoxOffice

/// The attendance of all cinemas on a day, whatever they show: 1 is a normal Friday.
enum AudienceModel {
    /// Returns the factor by which attendance differs from a normal Friday.
    static func attendanceFactor(on date: KoreanDate) -> Double {
        let (year, month, day) = (date.year, date.month, date.day)
        return yearFactor(year) * seasonFactor(month, day)
            * weekdayFactor(date, isHoliday: isHoliday(date, year, month, day))
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

    private static func isHoliday(_ date: KoreanDate, _ year: Int, _ month: Int, _ day: Int) -> Bool {
        switch (month, day) {
        case (1, 1), (3, 1), (5, 5), (6, 6), (8, 15), (10, 3), (10, 9), (12, 25): return true
        default: break
        }
        guard [1, 2, 9, 10].contains(month), lunarNewYears.indices.contains(year - 2003) else { return false }
        // The Lunar New Year and the harvest festival last three days each.
        return [lunarNewYears[year - 2003], harvestFestivals[year - 2003]].contains { feast in
            guard let main = KoreanDate(year: year, month: feast / 100, day: feast % 100) else { return false }
            return abs(date - main) <= 1
        }
    }

    /// The month and day (MMDD) of the first day of the lunar year, from 2003 on.
    private static let lunarNewYears = [
        201, 122, 209, 129, 218, 207, 126, 214, 203, 123, 210, 131, 219, 208, 128, 216, 205, 125, 212, 201, 122, 210,
        129, 217, 207, 127, 213, 203,
    ]

    /// The month and day (MMDD) of the fifteenth day of the eighth lunar month, from 2003 on.
    private static let harvestFestivals = [
        911, 928, 918, 1006, 925, 914, 1003, 922, 912, 930, 919, 908, 927, 915, 1004, 924, 913, 1001, 921, 910, 929,
        917, 1006, 925, 915, 1003, 922, 912,
    ]
}

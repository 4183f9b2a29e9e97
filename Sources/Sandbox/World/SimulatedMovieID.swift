import BoxOffice

/// Identifies a movie by its opening week and its position among the openings of that week.
struct SimulatedMovieID: Hashable, Sendable {
    let week: ReleaseWeek
    let slot: Int

    /// The number of openings in a week.
    static let slots = 14
}

extension SimulatedMovieID {
    /// The movie's code: the year and four characters, the first of which is sometimes a letter (`2022B512`).
    ///
    /// The four characters are the movie's number in its year, scrambled by a reversible multiplication, so that a code
    /// identifies its movie without a table.
    var code: String {
        let (year, week) = self.week.ordinal
        let number = (week - 1) * Self.slots + slot
        let isLettered = number % 23 == 5
        let scrambled = (number * Self.factor + year * 37) % (isLettered ? 1000 : 10_000)
        let digits = String(scrambled)
        let letter = isLettered ? Self.letters[number % Self.letters.count] : ""
        return String(year) + letter + String(repeating: "0", count: 4 - letter.count - digits.count) + digits
    }

    /// Parses a code; nil if no movie of the generated world has it.
    init?(code: some StringProtocol) {
        let suffix = code.dropFirst(4)
        let isLettered = suffix.first.map { Self.letters.contains(String($0)) } ?? false
        guard code.utf8.count == 8, let year = Int(code.prefix(4)), let first = ReleaseWeek.first(of: year),
            let scrambled = Int(isLettered ? suffix.dropFirst() : suffix)
        else { return nil }
        // 1,903 is the inverse of 7,567 modulo 10,000, and modulo 1,000.
        let modulus = isLettered ? 1000 : 10_000
        let number = ((scrambled - year * 37) % modulus + modulus) % modulus * Self.inverse % modulus
        self.init(week: first + number / Self.slots, slot: number % Self.slots)
        guard self.code == code else { return nil }
    }

    private static let factor = 7567
    private static let inverse = 1903
    private static let letters = ["A", "B", "C"]
}

/// A week from Monday to Sunday, counted from the week of 1970-01-01.
struct ReleaseWeek: Hashable, Sendable {
    let number: Int

    init(number: Int) {
        self.number = number
    }

    init(of date: KoreanDate) {
        number = (date.dayNumber - date.weekday + 3) / 7
    }

    var monday: KoreanDate {
        KoreanDate(dayNumber: number * 7 - 3)
    }

    /// The year of the week (ISO 8601: the year of its Thursday) and its number in that year, from 1.
    var ordinal: (year: Int, week: Int) {
        let thursday = monday + 3
        let newYear = KoreanDate(year: thursday.year, month: 1, day: 1) ?? thursday
        return (thursday.year, (thursday - newYear) / 7 + 1)
    }

    /// Returns the first week of `year` (ISO 8601: the week with January 4th).
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

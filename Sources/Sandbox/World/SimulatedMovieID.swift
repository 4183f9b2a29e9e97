import BoxOffice

/// Which film: the week it opens in, and its place among that week's openings.
struct SimulatedMovieID: Hashable, Sendable {
    let week: ReleaseWeek
    let slot: Int

    /// How many films open in a week.
    static let slots = 14
}

extension SimulatedMovieID {
    /// The film's code: the year and four characters, of which the first is now and then a letter (`2022B512`).
    ///
    /// The four follow from the film's number within its year by a multiplication that can be undone, so that a code
    /// leads back to its film without a table.
    var code: String {
        let (year, week) = self.week.ordinal
        let number = (week - 1) * Self.slots + slot
        let isLettered = number % 23 == 5
        let scrambled = (number * Self.factor + year * 37) % (isLettered ? 1000 : 10_000)
        let digits = String(scrambled)
        let letter = isLettered ? Self.letters[number % Self.letters.count] : ""
        return String(year) + letter + String(repeating: "0", count: 4 - letter.count - digits.count) + digits
    }

    /// Finds the film that has a code, or nothing if no film of this world does.
    init?(code: some StringProtocol) {
        let suffix = code.dropFirst(4)
        let isLettered = suffix.first.map { Self.letters.contains(String($0)) } ?? false
        guard code.utf8.count == 8, let year = Int(code.prefix(4)), let first = ReleaseWeek.first(of: year),
            let scrambled = Int(isLettered ? suffix.dropFirst() : suffix)
        else { return nil }
        // 1,903 undoes 7,567 among the numbers up to 10,000, and so it does among those up to 1,000.
        let modulus = isLettered ? 1000 : 10_000
        let number = ((scrambled - year * 37) % modulus + modulus) % modulus * Self.inverse % modulus
        self.init(week: first + number / Self.slots, slot: number % Self.slots)
        guard self.code == code else { return nil }
    }

    private static let factor = 7567
    private static let inverse = 1903
    private static let letters = ["A", "B", "C"]
}

import BoxOffice
import Text

/// Large numbers in the units of a language.
enum LocalizedNumber {
    /// Returns a number in the units of a language: `1,023만 4,567` and `천만`, `10,234,567` and `10 million`.
    static func words(_ number: Int, in language: Language) -> String {
        switch language {
        case .ko: korean(number)
        case .en: english(number)
        }
    }

    /// Writes groups of four digits, with 만 and 억. A round 천만 is written as such, which is how Koreans say it.
    private static func korean(_ number: Int) -> String {
        let sign = number < 0 ? "-" : ""
        let magnitude = number.magnitude
        if magnitude > 0, magnitude < 100_000_000, magnitude % 10_000_000 == 0 {
            let tens = magnitude / 10_000_000
            return sign + (tens == 1 ? "" : "\(tens)") + "천만"
        }
        var rest = magnitude
        var parts: [String] = []
        for (unit, size) in [("조", 1_000_000_000_000), ("억", 100_000_000), ("만", 10_000)] as [(String, UInt)] {
            let count = rest / size
            rest %= size
            if count > 0 { parts.append(count.grouped + unit) }
        }
        if rest > 0 || parts.isEmpty { parts.append(rest.grouped) }
        return sign + parts.joined(separator: " ")
    }

    /// Writes millions and billions where at most one decimal is exact, otherwise all digits.
    private static func english(_ number: Int) -> String {
        for (unit, size) in [("billion", 1_000_000_000), ("million", 1_000_000)]
        where number.magnitude >= size && number.magnitude % (size.magnitude / 10) == 0 {
            let (whole, rest) = number.magnitude.quotientAndRemainder(dividingBy: size.magnitude)
            let tenth = rest / (size.magnitude / 10)
            return (number < 0 ? "-" : "") + whole.grouped + (tenth == 0 ? "" : ".\(tenth)") + " \(unit)"
        }
        return number.grouped
    }
}

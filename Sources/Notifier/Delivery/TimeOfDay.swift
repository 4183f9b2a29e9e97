import BoxOffice
import FoundationEssentials

/// A time of day in Korea, to the minute.
struct TimeOfDay: Hashable, Sendable {
    /// Minutes since midnight.
    let minutes: Int

    /// Reads `HH:MM`, from `00:00` to `23:59`.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy { $0.isASCII && $0.isNumber } }),
            let hours = Int(parts[0]), let minutes = Int(parts[1]), hours < 24, minutes < 60
        else { return nil }
        self.minutes = hours * 60 + minutes
    }

    /// When it is on a day.
    func on(_ day: KoreanDate) -> Date {
        day.start + Double(minutes * 60)
    }

    /// The first day on which it comes after an instant.
    func firstDay(after instant: Date) -> KoreanDate {
        let today = KoreanDate(at: instant)
        return on(today) > instant ? today : today + 1
    }
}

extension TimeOfDay: CustomStringConvertible {
    var description: String {
        [minutes / 60, minutes % 60].map { String(String(100 + $0).dropFirst()) }.joined(separator: ":")
    }
}

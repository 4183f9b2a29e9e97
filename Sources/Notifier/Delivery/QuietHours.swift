import BoxOffice
import FoundationEssentials

/// The hours of each Korean day in which nothing is sent; alerts of that time are sent afterwards.
struct QuietHours: Hashable, Sendable {
    /// The first minute.
    let start: TimeOfDay
    /// The end, on the same day or the next.
    let end: TimeOfDay

    /// Reads `HH:MM-HH:MM`; the two times must differ.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let start = TimeOfDay(parts[0]), let end = TimeOfDay(parts[1]), start != end else {
            return nil
        }
        self.start = start
        self.end = end
    }

    /// Returns the end of the quiet hours at an instant; nil outside of them.
    func end(at instant: Date) -> Date? {
        let today = KoreanDate(at: instant)
        // Yesterday's may not be over yet.
        return [today - 1, today].lazy.map { day in
            (start.on(day), end.on(start.minutes < end.minutes ? day : day + 1))
        }.first { $0 <= instant && instant < $1 }?.1
    }
}

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

    /// Returns the instant of this time on a day.
    func on(_ day: KoreanDate) -> Date {
        day.start + Double(minutes * 60)
    }

    /// Returns the first day on which this time is after an instant.
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

extension Duration {
    /// Reads a span such as `90s`, `5m`, `12h` or `3d`, from one second to a thousand days.
    init?(span text: some StringProtocol) {
        guard let unit = text.last, let scale = ["s": 1, "m": 60, "h": 3_600, "d": 86_400][unit],
            let count = Int(text.dropLast()), (1...86_400_000 / scale).contains(count)
        else { return nil }
        self = .seconds(count * scale)
    }

    /// The duration in seconds, the unit of `Date`.
    var seconds: Double { self / .seconds(1) }
}

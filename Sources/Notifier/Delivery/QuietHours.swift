import BoxOffice
import FoundationEssentials

/// The hours of each Korean day in which nothing is sent; what comes up meanwhile is held until they are over.
struct QuietHours: Hashable, Sendable {
    /// When they begin.
    let start: TimeOfDay
    /// When they are over, the same day or the next.
    let end: TimeOfDay

    /// Reads `HH:MM-HH:MM`; hours that end when they begin would be none, or all.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let start = TimeOfDay(parts[0]), let end = TimeOfDay(parts[1]), start != end else {
            return nil
        }
        self.start = start
        self.end = end
    }

    /// When the quiet that there is at an instant is over; nil if there is none.
    func end(at instant: Date) -> Date? {
        let today = KoreanDate(at: instant)
        // Those that began yesterday may still be going on.
        return [today - 1, today].lazy.map { day in
            (start.on(day), end.on(start.minutes < end.minutes ? day : day + 1))
        }.first { $0 <= instant && instant < $1 }?.1
    }
}

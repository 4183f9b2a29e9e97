import BoxOffice
import FoundationEssentials

/// When a backfill ends, from what is left of it, what is left of the quota, and how fast it goes.
struct BackfillForecast: Hashable, Sendable {
    /// How many charts and films are left.
    let remaining: Int
    /// How many calls of today's are left for it.
    let leftToday: Int
    /// How many calls a day has for it.
    let perDay: Int
    /// How many a second it has done of late; nil as long as that is not known.
    let rate: Double?

    /// How many more midnights it takes; nil if no day has calls for it.
    var days: Int? {
        guard remaining > leftToday else { return 0 }
        return perDay > 0 ? (remaining - leftToday + perDay - 1) / perDay : nil
    }

    /// When it ends, if it goes on as it does.
    func end(at now: Date) -> Date? {
        guard let days, let rate, rate > 0 else { return nil }
        if days == 0 { return now + Double(remaining) / rate }
        let last = remaining - leftToday - (days - 1) * perDay
        return (KoreanDate(at: now) + days).start + Double(last) / rate
    }
}

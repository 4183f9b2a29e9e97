import BoxOffice
import FoundationEssentials

/// Estimates the end of a backfill from the remaining work, the quota and the rate.
struct BackfillForecast: Hashable, Sendable {
    /// The number of charts and movies left.
    let remaining: Int
    /// The number of calls left for backfills today.
    let leftToday: Int
    /// The number of calls for backfills in a day.
    let perDay: Int
    /// The recent rate, per second; nil while it is unknown.
    let rate: Double?

    /// The number of midnights until the end; nil if no day has calls for backfills.
    var days: Int? {
        guard remaining > leftToday else { return 0 }
        return perDay > 0 ? (remaining - leftToday + perDay - 1) / perDay : nil
    }

    /// Returns the estimated end at the present rate; nil if it is unknown.
    func end(at now: Date) -> Date? {
        guard let days, let rate, rate > 0 else { return nil }
        if days == 0 { return now + Double(remaining) / rate }
        let last = remaining - leftToday - (days - 1) * perDay
        return (KoreanDate(at: now) + days).start + Double(last) / rate
    }
}

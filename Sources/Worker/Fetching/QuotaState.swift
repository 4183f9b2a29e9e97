import BoxOffice
import FoundationEssentials
import Text

/// The calls of each service today, in memory: how many are made, and how many are booked on disk.
struct QuotaState: Sendable {
    struct Day: Sendable {
        let date: KoreanDate
        /// The calls that are made or about to be.
        var made: Int
        /// The calls that are booked on disk.
        var booked: Int
    }

    /// The answer to a caller that wants to make a call.
    enum Reservation {
        /// The call is booked on disk and can be made.
        case booked
        /// The call can be made once this many are booked on disk.
        case needsBooking(upTo: Int)
        /// The day's limit is reached.
        case exhausted
        /// The service rejects calls for this long.
        case closed(Duration)
        /// The disk's numbers have not been loaded.
        case notLoaded
    }

    private(set) var days: [String: Day] = [:]
    /// Until when a service is closed, in milliseconds since 1970.
    private var closedUntil: [String: Int] = [:]

    /// Reserves the next call of a day that allows `limit` calls.
    mutating func reserve(_ service: String, on date: KoreanDate, limit: Int, at now: Date) -> Reservation {
        guard var day = days[service], day.date == date else { return .notLoaded }
        if let pause = Self.pause(until: closedUntil[service], at: now) { return .closed(pause) }
        guard day.made < limit else { return .exhausted }
        day.made += 1
        days[service] = day
        return day.made <= day.booked ? .booked : .needsBooking(upTo: day.made)
    }

    /// Returns a reserved call that could not be booked.
    mutating func cancelReservation(_ service: String, on date: KoreanDate) {
        if days[service]?.date == date { days[service]?.made -= 1 }
    }

    /// Sets the disk's numbers, unless they are loaded.
    mutating func load(_ service: String, _ day: Day, closedUntil until: Int?) {
        if days[service]?.date != day.date { days[service] = day }
        if let until { close(service, until: until) }
    }

    /// Records that this many calls of a day are booked on disk.
    mutating func setBooked(_ service: String, on date: KoreanDate, to booked: Int) {
        guard let day = days[service], day.date == date else { return }
        days[service]?.booked = max(day.booked, booked)
    }

    /// Records that the disk has no calls booked ahead any more.
    mutating func releaseUnused() {
        days = days.mapValues { Day(date: $0.date, made: $0.made, booked: $0.made) }
    }

    /// Closes a service until a time, in milliseconds since 1970.
    mutating func close(_ service: String, until: Int) {
        closedUntil[service] = max(closedUntil[service] ?? 0, until)
    }

    /// Returns how long a service is still closed, or nil if it is open; `until` is in milliseconds since 1970.
    static func pause(until: Int?, at now: Date) -> Duration? {
        let pause = (until ?? 0) - now.millisecondsSince1970
        // A time further away is from before the clock was set back.
        return (1...2 * 86_400_000).contains(pause) ? .milliseconds(pause) : nil
    }
}

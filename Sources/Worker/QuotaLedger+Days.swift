import BoxOffice
import FoundationEssentials

extension QuotaLedger {
    /// How far each service has come today, in memory: which calls are made, up to which they are booked on disk.
    struct Days: Sendable {
        struct Day: Sendable {
            let date: KoreanDate
            /// The calls that were made, or are about to be.
            var made: Int
            /// The calls that are on disk.
            var booked: Int
        }

        /// What becomes of somebody who wants to make a call.
        enum Turn {
            /// The call is on disk and can be made.
            case booked
            /// It can be made once so many are on disk.
            case number(Int)
            case usedUp
            case closed(Duration)
            /// What is on disk has not been looked at.
            case unknown
        }

        private(set) var days: [String: Day] = [:]
        private var closedUntil: [String: Int] = [:]

        /// Takes the next call of a day that has `limit` of them.
        mutating func take(_ service: String, on date: KoreanDate, limit: Int, at now: Date) -> Turn {
            guard var day = days[service], day.date == date else { return .unknown }
            if let pause = QuotaLedger.pause(until: closedUntil[service], at: now) { return .closed(pause) }
            guard day.made < limit else { return .usedUp }
            day.made += 1
            days[service] = day
            return day.made <= day.booked ? .booked : .number(day.made)
        }

        /// Takes a call back that could not be booked.
        mutating func putBack(_ service: String, on date: KoreanDate) {
            if days[service]?.date == date { days[service]?.made -= 1 }
        }

        /// Learns what is on disk, unless that is known.
        mutating func learn(_ service: String, _ day: Day, closedUntil until: Int?) {
            if days[service]?.date != day.date { days[service] = day }
            if let until { close(service, until: until) }
        }

        /// So many calls of a day are on disk.
        mutating func note(_ service: String, on date: KoreanDate, booked: Int) {
            guard let day = days[service], day.date == date else { return }
            days[service]?.booked = max(day.booked, booked)
        }

        /// A service is closed until then, in milliseconds since 1970.
        mutating func close(_ service: String, until: Int) {
            closedUntil[service] = max(closedUntil[service] ?? 0, until)
        }
    }

    /// How long a service is still closed.
    static func pause(until: Int?, at now: Date) -> Duration? {
        let pause = (until ?? 0) - Int(now.timeIntervalSince1970 * 1000)
        // A time further away is from before the clock was set back.
        return (1...2 * 86_400_000).contains(pause) ? .milliseconds(pause) : nil
    }
}

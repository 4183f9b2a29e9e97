import BoxOffice
import Concurrency
import Contract
import FoundationEssentials
import Networking
import Operations
import SQLite
import Text
import Upstreams

/// A part of each day's calls to an upstream: nobody may make a call once as many as that are made, by whomever.
enum QuotaShare: Hashable, Sendable, CaseIterable {
    /// All calls.
    case live
    /// All but the reserve.
    case backfill
    /// Half of what backfill may use. Strangers who use it up leave the rest to everybody else.
    case visitors
}

/// Counts the calls to each upstream by day in Korea; every call is booked on disk before it is made, retries included.
///
/// Calls are booked a few ahead, so that not each of them waits for the disk. Unused bookings are released at the end,
/// and lost if the process is killed. Not every request may use all of a day's calls. A service that reports
/// its own quota as exhausted is not called again before its day is over, whatever is left of the limit here.
///
/// See docs/decisions/0028-quota-booking.md.
struct QuotaLedger: Sendable {
    /// The calls of a service today.
    struct Balance: Hashable, Sendable, Codable {
        let day: KoreanDate
        let limit: Int
        let used: Int
        /// The calls that live requests may still make.
        let left: Int
        /// The calls of these that backfill may make.
        let leftForBackfill: Int
        /// The calls that backfill may make on a day without live requests.
        let forBackfill: Int
    }

    static let schema = Schema.Component(
        "quota",
        migrations: [
            """
            create table quota (
                service text not null,
                day text not null,
                used integer not null,
                primary key (service, day)
            ) strict, without rowid;
            """,
            """
            create table quota_closing (
                service text primary key,
                until integer not null
            ) strict, without rowid;
            """,
        ])

    let database: Database
    let wallClock: WallClock
    /// The calls per day by service; a service that is missing here has no limit.
    let limits: [String: Int]
    /// The percentage of the calls that is reserved for live requests.
    let reserve: Int

    /// The most calls that are booked at once; a small daily limit allows a hundredth of it.
    private static let maximumAhead = 16

    private let state = Locked(QuotaState())

    /// Books a call to `service` for requests that may use a share of the day's calls.
    ///
    /// - Throws: An error of kind `quotaExhausted` if the share is used up or the service is closed, and of kind `internal`
    ///   if the disk cannot be written.
    func book(_ service: String, for share: QuotaShare) async throws(UpstreamError) {
        guard let limit = limit(of: service, for: share) else { return }
        let rejection: UpstreamError?
        do {
            rejection = try await makeBooking(service, for: share, limit, at: wallClock.now())
        } catch {
            throw UpstreamError(service: service, kind: .internal, message: "the call cannot be booked: \(error)")
        }
        if let rejection { throw rejection }
    }

    /// Books a call, or returns why none can be made now.
    private func makeBooking(
        _ service: String, for share: QuotaShare, _ limit: Int, at now: Date
    ) async throws -> UpstreamError? {
        let today = KoreanDate(at: now)
        while true {
            switch state.withLock({ $0.reserve(service, on: today, limit: limit, at: now) }) {
            case .booked: return nil
            case .closed(let pause):
                return exhausted(service, "\(service) has reported that its quota is used up", retryAfter: pause)
            case .exhausted:
                let whose = share == .live ? "" : " that \(share) may make"
                return exhausted(
                    service, "today's \(limit) calls to \(service)\(whose) are used up",
                    retryAfter: KoreanDate.timeToMidnight(at: now))
            case .notLoaded:
                let (booked, until) = try await database.read { connection in
                    (try used(service, on: today, in: connection), try closing(of: service, in: connection))
                }
                let day = QuotaState.Day(date: today, made: booked, booked: booked)
                state.withLock { $0.load(service, day, closedUntil: until) }
            case .needsBooking(let number):
                do {
                    try await book(service, upTo: number, on: today)
                } catch {
                    state.withLock { $0.cancelReservation(service, on: today) }
                    throw error
                }
                return nil
            }
        }
    }

    /// Books calls of a day on disk up to a number and a few ahead, unless they are booked already.
    private func book(_ service: String, upTo number: Int, on day: KoreanDate) async throws {
        let limit = limits[service] ?? number
        let ahead = max(1, min(Self.maximumAhead, limit / 100))
        try await database.write { connection in
            let booked = max(number, min(number + ahead - 1, limit))
            try connection.execute(
                """
                insert into quota (service, day, used) values (?, ?, ?)
                on conflict (service, day) do update set used = excluded.used where used < ?
                """, service, day.description, booked, number)
            guard connection.changedRows > 0 else { return }  // a write in the same commit has booked this one too
            connection.afterCommit { state.withLock { $0.setBooked(service, on: day, to: booked) } }
        }
    }

    /// Closes a service that has reported its quota as exhausted, for as long as it says or until midnight in Korea.
    ///
    /// Other errors are ignored.
    ///
    /// See docs/decisions/0012-exhausted-upstream-quota.md.
    func recordExhaustion(_ error: UpstreamError) async throws {
        // An error without a status is a rejection by this ledger.
        guard error.kind == .quotaExhausted, error.status != nil, limits[error.service] != nil else { return }
        let now = wallClock.now()
        let pause = error.retryAfter ?? KoreanDate.timeToMidnight(at: now)
        let until = (now + pause / .seconds(1)).millisecondsSince1970
        try await database.write { connection in
            try connection.execute(
                """
                insert into quota_closing (service, until) values (?, ?)
                on conflict (service) do update set until = max(until, excluded.until)
                """, error.service, until)
            connection.afterCommit { state.withLock { $0.close(error.service, until: until) } }
        }
    }

    /// Releases the calls that are booked and not made. Call it when no calls are in progress.
    func releaseUnused() async throws {
        let days = state.withLock { $0.days }
        try await database.write { connection in
            for (service, day) in days {
                try connection.execute(
                    "update quota set used = ? where service = ? and day = ? and used > ?", day.made, service,
                    day.date.description, day.made)
            }
            connection.afterCommit { state.withLock { $0.releaseUnused() } }
        }
    }

    /// Returns today's balance of each service.
    func balances() async throws -> [String: Balance] {
        let now = wallClock.now()
        let today = KoreanDate(at: now)
        let days = state.withLock { $0.days }
        return try await database.read { connection in
            try Dictionary(
                uniqueKeysWithValues: limits.map { service, limit in
                    let known = days[service].flatMap { $0.date == today ? $0.made : nil }
                    let used = try known ?? used(service, on: today, in: connection)
                    let isClosed = try QuotaState.pause(until: closing(of: service, in: connection), at: now) != nil
                    let backfill = self.limit(of: service, for: .backfill) ?? 0
                    let balance = Balance(
                        day: today, limit: limit, used: used, left: isClosed ? 0 : max(0, limit - used),
                        leftForBackfill: isClosed ? 0 : max(0, backfill - used), forBackfill: backfill)
                    return (service, balance)
                })
        }
    }

    /// Returns when an exhausted service can be called again: when it opens, or at midnight in Korea.
    func reopeningTime(of service: String) async throws -> Date {
        let now = wallClock.now()
        let until = try await database.read { connection in try closing(of: service, in: connection) }
        return now + (QuotaState.pause(until: until, at: now) ?? KoreanDate.timeToMidnight(at: now)) / .seconds(1)
    }

    /// Returns how many of the day's calls are a share, or nil if the service has no limit.
    func limit(of service: String, for share: QuotaShare) -> Int? {
        limits[service].map { limit in
            let unreserved = limit - (limit * reserve + 99) / 100
            return switch share {
            case .live: limit
            case .backfill: unreserved
            case .visitors: unreserved / 2
            }
        }
    }
}

extension QuotaLedger {
    private func used(_ service: String, on day: KoreanDate, in connection: Connection) throws(DatabaseError) -> Int {
        try connection.query(
            "select used from quota where service = ? and day = ?", service, day.description, as: Int.self
        ).first ?? 0
    }

    /// Returns until when a service is closed, in milliseconds since 1970, or nil if it never was.
    private func closing(of service: String, in connection: Connection) throws(DatabaseError) -> Int? {
        try connection.query("select until from quota_closing where service = ?", service, as: Int.self).first
    }

    private func exhausted(_ service: String, _ message: String, retryAfter: Duration) -> UpstreamError {
        UpstreamError(service: service, kind: .quotaExhausted, message: message, retryAfter: retryAfter)
    }
}

import BoxOffice
import Concurrency
import Contract
import FoundationEssentials
import Networking
import Operations
import SQLite
import Upstreams

/// How many calls each upstream has had on each Korean day; every call is booked before it is made, retries included.
///
/// Calls are booked some ahead, so that not each has to wait for the disk: what is booked and not made is given back at the
/// end, and lost with a process that is killed. Part of each day's calls is for live requests alone. A service that says
/// that its own budget is used up is not called again before its day is over, whatever is left of ours.
///
/// See docs/decisions/0028-quota-booking.md.
struct QuotaLedger: Sendable {
    /// What is left of a day's calls.
    struct Balance: Hashable, Sendable, Codable {
        let day: KoreanDate
        let limit: Int
        let used: Int
        /// The calls that live requests may still make.
        let left: Int
        /// Those of them that backfill may make.
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
    let clock: WallClock
    /// The calls a day by service; a service that is not here has no budget to keep.
    let limits: [String: Int]
    /// The percentage of them that is for live requests alone.
    let reserve: Int

    /// How many calls are booked in one go: no more than a hundredth of a day's.
    private static let most = 16

    private let days = Locked(Days())

    /// Books a call to `service` for requests of a priority, or refuses it if their part of the day's budget is used up.
    func book(_ service: String, for priority: Request.Priority) async throws(UpstreamError) {
        guard let limit = limit(of: service, for: priority) else { return }
        let refusal: UpstreamError?
        do {
            refusal = try await makeBooking(service, for: priority, limit, at: clock.now())
        } catch {
            throw UpstreamError(service: service, kind: .internal, message: "the call cannot be booked: \(error)")
        }
        if let refusal { throw refusal }
    }

    /// Books a call, or says why there is none now.
    private func makeBooking(
        _ service: String, for priority: Request.Priority, _ limit: Int, at now: Date
    ) async throws -> UpstreamError? {
        let today = KoreanDate(at: now)
        while true {
            switch days.withLock({ $0.take(service, on: today, limit: limit, at: now) }) {
            case .booked: return nil
            case .closed(let pause):
                return exhausted(service, "\(service) has said that its quota is used up", retryAfter: pause)
            case .usedUp:
                let whose = priority == .live ? "" : " that backfill may make"
                return exhausted(
                    service, "today's \(limit) calls to \(service)\(whose) are used up",
                    retryAfter: KoreanDate.timeToMidnight(at: now))
            case .unknown:
                let (booked, until) = try await database.read { connection in
                    (try used(service, on: today, in: connection), try closing(of: service, in: connection))
                }
                let day = Days.Day(date: today, made: booked, booked: booked)
                days.withLock { $0.learn(service, day, closedUntil: until) }
            case .number(let number):
                do {
                    try await book(service, upTo: number, on: today)
                } catch {
                    days.withLock { $0.putBack(service, on: today) }
                    throw error
                }
                return nil
            }
        }
    }

    /// Books calls of a day on disk up to a number, and some ahead; nothing if they are booked by then.
    private func book(_ service: String, upTo number: Int, on day: KoreanDate) async throws {
        let limit = limits[service] ?? number
        let ahead = max(1, min(Self.most, limit / 100))
        try await database.write { connection in
            let booked = max(number, min(number + ahead - 1, limit))
            try connection.execute(
                """
                insert into quota (service, day, used) values (?, ?, ?)
                on conflict (service, day) do update set used = excluded.used where used < ?
                """, service, day.description, booked, number)
            guard connection.changedRows > 0 else { return }  // somebody who shares the commit has booked this one, too
            connection.afterCommit { days.withLock { $0.note(service, on: day, booked: booked) } }
        }
    }

    /// Takes note of a service's answer: one that says that its quota is used up closes it for as long as it says, else
    /// until midnight in Korea.
    ///
    /// See docs/decisions/0012-exhausted-upstream-quota.md.
    func note(_ error: UpstreamError) async throws {
        // What has neither status nor code is a refusal of this ledger.
        guard error.kind == .quotaExhausted, error.status != nil, limits[error.service] != nil else { return }
        let now = clock.now()
        let pause = error.retryAfter ?? KoreanDate.timeToMidnight(at: now)
        let until = Int((now.timeIntervalSince1970 + pause / .seconds(1)) * 1000)
        try await database.write { connection in
            try connection.execute(
                """
                insert into quota_closing (service, until) values (?, ?)
                on conflict (service) do update set until = max(until, excluded.until)
                """, error.service, until)
            connection.afterCommit { days.withLock { $0.close(error.service, until: until) } }
        }
    }

    /// Gives back what is booked ahead, once no more calls are made.
    func giveBack() async throws {
        let days = days.withLock { $0.days }
        try await database.write { connection in
            for (service, day) in days {
                try connection.execute(
                    "update quota set used = ? where service = ? and day = ? and used > ?", day.made, service,
                    day.date.description, day.made)
            }
        }
    }

    /// Today's balance of each service.
    func balances() async throws -> [String: Balance] {
        let now = clock.now()
        let today = KoreanDate(at: now)
        let days = days.withLock { $0.days }
        return try await database.read { connection in
            try Dictionary(
                uniqueKeysWithValues: limits.map { service, limit in
                    let known = days[service].flatMap { $0.date == today ? $0.made : nil }
                    let used = try known ?? used(service, on: today, in: connection)
                    let isClosed = try Self.pause(until: closing(of: service, in: connection), at: now) != nil
                    let backfill = self.limit(of: service, for: .backfill) ?? 0
                    let balance = Balance(
                        day: today, limit: limit, used: used, left: isClosed ? 0 : max(0, limit - used),
                        leftForBackfill: isClosed ? 0 : max(0, backfill - used), forBackfill: backfill)
                    return (service, balance)
                })
        }
    }

    /// When a service is next worth a call whose budget is used up now: when it opens again, or at midnight in Korea.
    func reopening(of service: String) async throws -> Date {
        let now = clock.now()
        let until = try await database.read { connection in try closing(of: service, in: connection) }
        return now + (Self.pause(until: until, at: now) ?? KoreanDate.timeToMidnight(at: now)) / .seconds(1)
    }

    /// How many calls a day requests of a priority may make, those of others among them.
    func limit(of service: String, for priority: Request.Priority) -> Int? {
        limits[service].map { $0 - (priority == .live ? 0 : ($0 * reserve + 99) / 100) }
    }
}

extension QuotaLedger {
    private func used(_ service: String, on day: KoreanDate, in connection: Connection) throws(DatabaseError) -> Int {
        try connection.query(
            "select used from quota where service = ? and day = ?", service, day.description, as: Int.self
        ).first ?? 0
    }

    /// Until when a service is closed, if ever it was, in milliseconds since 1970.
    private func closing(of service: String, in connection: Connection) throws(DatabaseError) -> Int? {
        try connection.query("select until from quota_closing where service = ?", service, as: Int.self).first
    }

    private func exhausted(_ service: String, _ message: String, retryAfter: Duration) -> UpstreamError {
        UpstreamError(service: service, kind: .quotaExhausted, message: message, retryAfter: retryAfter)
    }
}

import BoxOffice
import Events
import FoundationEssentials
import Networking
import Operations
import SQLite
import Upstreams

/// How many calls each upstream has had on each Korean day; every call is booked before it is made, retries included.
///
/// Part of each day's calls is for live requests alone. A service that says that its own budget is used up is not called
/// again before its day is over, whatever is left of ours.
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

    /// Books a call to `service` for requests of a priority, or refuses it if their part of the day's budget is used up.
    func book(_ service: String, for priority: Request.Priority) async throws(UpstreamError) {
        guard let limit = limit(of: service, for: priority) else { return }
        let now = clock.now()
        let today = KoreanDate(at: now)
        let refusal: UpstreamError?
        do {
            refusal = try await database.write { connection in
                if let pause = try closing(of: service, at: now, in: connection) {
                    return exhausted(service, "\(service) has said that its quota is used up", retryAfter: pause)
                }
                guard try used(service, on: today, in: connection) < limit else {
                    let whose = priority == .live ? "" : " that backfill may make"
                    return exhausted(
                        service, "today's \(limit) calls to \(service)\(whose) are used up",
                        retryAfter: KoreanDate.timeToMidnight(at: now))
                }
                try connection.execute(
                    """
                    insert into quota (service, day, used) values (?, ?, 1)
                    on conflict (service, day) do update set used = used + 1
                    """, service, today.description)
                return nil
            }
        } catch {
            throw UpstreamError(service: service, kind: .internal, message: "the call cannot be booked: \(error)")
        }
        if let refusal { throw refusal }
    }

    /// Takes note of a service's answer: one that says that its quota is used up closes it for as long as it says, else
    /// until midnight in Korea.
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
        }
    }

    /// Today's balance of each service.
    func balances() async throws -> [String: Balance] {
        let now = clock.now()
        let today = KoreanDate(at: now)
        return try await database.read { connection in
            try Dictionary(
                uniqueKeysWithValues: limits.map { service, limit in
                    let used = try used(service, on: today, in: connection)
                    let isClosed = try closing(of: service, at: now, in: connection) != nil
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
        let pause = try await database.read { connection in try closing(of: service, at: now, in: connection) }
        return now + (pause ?? KoreanDate.timeToMidnight(at: now)) / .seconds(1)
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

    /// How long a service is still closed.
    private func closing(
        of service: String, at now: Date, in connection: Connection
    ) throws(DatabaseError) -> Duration? {
        let until = try connection.query("select until from quota_closing where service = ?", service, as: Int.self)
        let pause = (until.first ?? 0) - Int(now.timeIntervalSince1970 * 1000)
        // A time further away is from before the clock was set back.
        return (1...2 * 86_400_000).contains(pause) ? .milliseconds(pause) : nil
    }

    private func exhausted(_ service: String, _ message: String, retryAfter: Duration) -> UpstreamError {
        UpstreamError(service: service, kind: .quotaExhausted, message: message, retryAfter: retryAfter)
    }
}

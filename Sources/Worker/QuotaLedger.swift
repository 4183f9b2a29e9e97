import BoxOffice
import FoundationEssentials
import Networking
import Operations
import SQLite
import Upstreams

/// How many calls each upstream has had on each Korean day; every call is booked before it is made, retries included.
struct QuotaLedger: Sendable {
    /// What is left of a day's calls.
    struct Balance: Hashable, Sendable, Codable {
        let day: KoreanDate
        let limit: Int
        let used: Int
        let left: Int
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
            """
        ])

    let database: Database
    let clock: WallClock
    /// The calls a day by service; a service that is not here has no budget to keep.
    let limits: [String: Int]

    /// Books a call to `service`, or refuses it if the day's budget is used up.
    func book(_ service: String) async throws(UpstreamError) {
        guard let limit = limits[service] else { return }
        let now = clock.now()
        let today = KoreanDate(at: now)
        let isBooked: Bool
        do {
            isBooked = try await database.write { connection in
                guard try used(service, on: today, in: connection) < limit else { return false }
                try connection.execute(
                    """
                    insert into quota (service, day, used) values (?, ?, 1)
                    on conflict (service, day) do update set used = used + 1
                    """, service, today.description)
                return true
            }
        } catch {
            throw UpstreamError(
                service: service, kind: .unavailable, message: "the call cannot be booked: \(error)", isTransient: false
            )
        }
        guard isBooked else {
            throw UpstreamError(
                service: service, kind: .quotaExhausted, message: "today's \(limit) calls to \(service) are used up",
                retryAfter: KoreanDate.timeToMidnight(at: now))
        }
    }

    /// Today's balance of each service.
    func balances() async throws -> [String: Balance] {
        let today = KoreanDate(at: clock.now())
        return try await database.read { connection in
            try Dictionary(
                uniqueKeysWithValues: limits.map { service, limit in
                    let used = try used(service, on: today, in: connection)
                    return (service, Balance(day: today, limit: limit, used: used, left: max(0, limit - used)))
                })
        }
    }

    private func used(_ service: String, on day: KoreanDate, in connection: Connection) throws(DatabaseError) -> Int {
        try connection.query(
            "select used from quota where service = ? and day = ?", service, day.description, as: Int.self
        ).first ?? 0
    }
}

import BoxOffice
import Contract
import FoundationEssentials
import Messaging
import Networking
import ServiceRuntime
import Storage
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

/// Counts the calls to each upstream by day in Korea; every call is booked on disk before it is made, retries included,
/// and a booking of which nothing was sent is taken back.
///
/// Not every request may use all of a day's calls. A service that reports its own quota as exhausted is not called again
/// before its day is over, whatever is left of the limit here.
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

    static let tables = """
        create table quota (
            service text not null,
            day text not null,
            used integer not null,
            primary key (service, day)
        ) strict, without rowid;

        create table quota_closing (
            service text primary key,
            until integer not null
        ) strict, without rowid;
        """

    let database: Database
    let wallClock: WallClock
    /// The calls per day by service; a service that is missing here has no limit.
    let limits: [String: Int]
    /// The percentage of the calls that is reserved for live requests.
    let reserve: Int

    /// Books a call to `service` for requests that may use a share of the day's calls; throws `quotaExhausted` if it is
    /// used up or the service is closed. Returns the day that it counts for, or nil if the service has no limit.
    @discardableResult
    func book(_ service: String, for share: QuotaShare) async throws(UpstreamError) -> KoreanDate? {
        guard let limit = limit(of: service, for: share) else { return nil }
        let now = wallClock.now()
        let day = KoreanDate(at: now)
        let rejection: UpstreamError?
        do {
            rejection = try await writeWhenReachable { connection in
                if let pause = try pause(of: service, at: now, in: connection) {
                    return exhausted(service, "\(service) has reported that its quota is used up", retryAfter: pause)
                }
                if limit > 0 {
                    try connection.execute(
                        """
                        insert into quota (service, day, used) values (?, ?, 1)
                        on conflict (service, day) do update set used = quota.used + 1 where quota.used < ?
                        """, service, day.description, limit)
                    if connection.changedRows > 0 { return nil }
                }
                let whose = share == .live ? "" : " that \(share) may make"
                return exhausted(
                    service, "today's \(limit) calls to \(service)\(whose) are used up",
                    retryAfter: KoreanDate.timeToMidnight(at: now))
            }
        } catch is CancellationError {
            throw UpstreamError(service: service, kind: .cancelled, message: "cancelled before the call was booked")
        } catch {
            throw UpstreamError(service: service, kind: .internal, message: "the call cannot be booked: \(error)")
        }
        if let rejection { throw rejection }
        return day
    }

    /// Writes, as soon as a server that is away is back: no request fails because it was away for a moment.
    private func writeWhenReachable<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        while true {
            do {
                return try await database.write(body)
            } catch let error as DatabaseError where [.unreachable, .busy].contains(error.kind) {
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// Takes a booked call back, of which nothing was sent.
    func release(_ service: String, on day: KoreanDate) async {
        // What cannot be taken back stays counted: no more calls are made than were booked.
        try? await database.write { connection in
            try connection.execute(
                "update quota set used = used - 1 where service = ? and day = ? and used > 0", service, day.description)
        }
    }

    /// Closes a service that has reported its quota as exhausted, for as long as it says or until midnight in Korea,
    /// whatever is left of the limit here: the key may be used elsewhere, or the database be an older one, restored.
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
                on conflict (service) do update set until = excluded.until
                where excluded.until > quota_closing.until
                """, error.service, until)
        }
    }

    func balances() async throws -> [String: Balance] {
        let now = wallClock.now()
        let today = KoreanDate(at: now)
        return try await database.read { connection in
            try Dictionary(
                uniqueKeysWithValues: limits.map { service, limit in
                    let used =
                        try connection.query(
                            "select used from quota where service = ? and day = ?", service, today.description,
                            as: Int.self
                        ).first ?? 0
                    let isClosed = try pause(of: service, at: now, in: connection) != nil
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
        let closed = try await database.read { try pause(of: service, at: now, in: $0) }
        return now + (closed ?? KoreanDate.timeToMidnight(at: now)) / .seconds(1)
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
    init(database: Database, wallClock: WallClock, _ configuration: Configuration) {
        self.init(
            database: database, wallClock: wallClock,
            limits: [
                Kobis.service: configuration.kobis.dailyLimit, KakaoImageSearch.service: configuration.kakao.dailyLimit,
            ], reserve: configuration.quotaReserve)
    }

    /// Returns how long a service is still closed, or nil if it is open.
    private func pause(of service: String, at now: Date, in connection: Connection) throws(DatabaseError) -> Duration? {
        let until = try connection.query("select until from quota_closing where service = ?", service, as: Int.self)
        let pause = (until.first ?? 0) - now.millisecondsSince1970
        // A time further away is from before the clock was set back.
        return (1...2 * 86_400_000).contains(pause) ? .milliseconds(pause) : nil
    }

    private func exhausted(_ service: String, _ message: String, retryAfter: Duration) -> UpstreamError {
        UpstreamError(service: service, kind: .quotaExhausted, message: message, retryAfter: retryAfter)
    }
}

// MARK: - The command

extension QuotaLedger {
    private struct Fields: Decodable {
        let service: String?
    }

    /// Answers the command `book`, which counts a call that a client makes by itself with the worker's key, as
    /// `marquee check` does.
    func answer(_ command: Command) async throws -> Reply {
        let fields = try RequestBody.fields(RequestFrames(command.frames).body, as: Fields.self)
        guard let service = fields.service, limits[service] != nil else {
            let services = limits.keys.sorted().joined(separator: ", ")
            throw ContractError(.badRequest, "service must be one of: \(services)", field: "service")
        }
        do throws(UpstreamError) {
            try await book(service, for: .live)
        } catch {
            throw try ContractError(error, at: wallClock.now())
        }
        return Reply(frames: [Array("booked".utf8), Array("{}".utf8)])
    }
}

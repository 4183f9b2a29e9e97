import BoxOffice
import Events
import FoundationEssentials
import Health
import Operations
import SQLite

/// The worker's memory: log, inbox and what was checked when, in one database, changed in whole transactions.
///
/// Events are handed to `publish` right after the commit that made them, in the order of the log.
struct Journal: Sendable {
    /// A request on its way into the inbox.
    struct Offer: Sendable {
        let accepted: AcceptedRequest
        let frames: RequestFrames
    }

    static let schema = Schema(
        EventLog.schema, Inbox.schema, Checks.schema, QuotaLedger.schema, Origin.schema, HealthCheck.schema)

    let database: Database
    let log: EventLog
    let inbox: Inbox
    let clock: WallClock
    let publish: @Sendable ([LoggedEvent]) -> Void
    var crashPoints = CrashPoints.none

    /// Takes requests in, all in one transaction, and says what became of each.
    func offer(_ offers: [Offer]) async throws -> [Inbox.Answer] {
        let now = clock.now()
        return try await database.write { connection in
            var events: [LoggedEvent] = []
            let answers = try offers.map { offer in
                let answer = try inbox.offer(offer.accepted, sentAs: offer.frames, at: now, in: connection)
                if case .accepted = answer {
                    let draft = try EventDraft(accepted: offer.accepted)
                    events += try log.append([draft], at: now, in: connection)
                }
                return answer
            }
            crashPoints.reach(.stored)
            connection.afterCommit { [events] in
                crashPoints.reach(.accepted)
                publish(events)
            }
            return answers
        }
    }

    /// Ends a request that could not be understood and has no other way to be answered; false if its id is taken.
    func refuse(_ id: RequestID, sentAs frames: RequestFrames, because failure: Failure) async throws -> Bool {
        let now = clock.now()
        return try await database.write { connection in
            guard try inbox.refuse(id, sentAs: frames, at: now, in: connection) else { return false }
            let draft = try EventDraft(failed: id, topic: frames.topic, request: RequestFields(of: frames), failure)
            let events = try log.append([draft], at: now, in: connection)
            publish(events, endingIn: connection)
            return true
        }
    }

    /// Writes what a fetcher found, and the request's end, if it has not ended before.
    func settle(_ accepted: AcceptedRequest, with findings: Findings, asOf now: Date) async throws {
        try await database.write { connection in
            guard try inbox.settle(accepted.id, as: .done, in: connection) else { return }
            var events = findings.logged
            for fact in findings.fetched {
                events.append(try record(fact, foundBy: accepted, at: now, in: connection))
            }
            let draft = try EventDraft(done: accepted, events: events, findings)
            events += try log.append([draft], at: clock.now(), in: connection)
            publish(events, endingIn: connection)
        }
    }

    /// Writes that a request failed, if it has not ended before.
    func settle(_ accepted: AcceptedRequest, with failure: Failure) async throws {
        let now = clock.now()
        try await database.write { connection in
            guard try inbox.settle(accepted.id, as: .failed, in: connection) else { return }
            let draft = try EventDraft(
                failed: accepted.id, topic: accepted.request.topic.rawValue, request: accepted.request.fields, failure)
            let events = try log.append([draft], at: now, in: connection)
            publish(events, endingIn: connection)
        }
    }

    /// The requests that were accepted and have not ended.
    func waiting() async throws -> [AcceptedRequest] {
        let rows = try await database.read { connection in try inbox.waiting(in: connection) }
        return try rows.map { row in
            guard let id = RequestID(row.id) else { throw Failure(.internal, "the inbox holds an id that is none") }
            let frames = RequestFrames(topic: row.topic, body: row.request)
            // The day was in range when the request was accepted, whatever the clock says now.
            return AcceptedRequest(id: id, request: try Request(frames, at: .distantFuture))
        }
    }

    /// How many requests were accepted and have not ended.
    func waitingCount() async throws -> Int {
        try await database.read { connection in try inbox.waitingCount(in: connection) }
    }

    /// Has events that end a request published once the write is on disk.
    private func publish(_ events: [LoggedEvent], endingIn connection: Connection) {
        crashPoints.reach(.settled)
        connection.afterCommit {
            crashPoints.reach(.committed)
            publish(events)
            crashPoints.reach(.published)
        }
    }

    /// Appends a fact if it says something new, and returns the event that says it now.
    private func record(
        _ fact: Findings.Fact, foundBy accepted: AcceptedRequest, at now: Date, in connection: Connection
    ) throws -> LoggedEvent {
        let known = try log.latest(fact.topic, in: connection)
        if let known, let checked = try Checks.last(fact.topic, in: connection), checked > now {
            return known  // asked later and answered sooner: the log is newer than this fact
        }
        try Checks.note(fact.topic, at: now, in: connection)
        guard let draft = try fact.draft(after: known, correlationID: accepted.id) else {
            if let known { return known }
            throw Failure(.internal, "a fact that is not in the log has nothing to say")
        }
        return try log.append([draft], at: clock.now(), in: connection)[0]
    }
}

import Contract
import Crypto
import EventStore
import FoundationEssentials
import JSONCoding
import ServiceRuntime
import Storage

/// What became of a request that was handed to the inbox.
enum IntakeResult: Sendable {
    /// The request is new, and there is room for it.
    case accepted
    /// The same request was accepted before; it is done once.
    case duplicate
    /// The id was used for another request.
    case conflict
    case overloaded

    /// The error of a request that is not accepted by an inbox with this limit; nil for one that is.
    func failure(limit: Int) -> ContractError? {
        switch self {
        case .accepted, .duplicate: nil
        case .conflict: ContractError(.conflict, "this id was used for another request", field: "id")
        case .overloaded: ContractError(.overloaded, "\(limit) requests are waiting", retryAfter: 60)
        }
    }
}

// MARK: - Intake

extension RequestInbox {
    /// The longest body of a refused request that `request.failed` repeats, in bytes.
    private static let rejectedBodyLimit = 1_024

    /// Accepts requests and returns what became of each, in their order.
    ///
    /// A request for which the log has fresh events ends in the same transaction.
    ///
    /// See docs/decisions/answering-from-the-log.md.
    func accept(_ items: [IntakeItem]) throws -> [IntakeResult] {
        let now = transaction.now
        var batch = IntakeBatch(room: try transaction.inboxLimit - waitingCount())
        batch.leavesOrders = try items.contains { $0.isOrder } && !WorkerRegistry(transaction).isLeader()
        let candidates = try items.map { try candidate($0, in: &batch, at: now) }
        var inserted = try insert(candidates.compactMap { $0?.row })[...]
        let results = try zip(items, candidates).map { item, candidate in
            guard let candidate, inserted.removeFirst() else { return try result(of: item) }
            return try accept(item, candidate, into: &batch)
        }
        transaction.changes.events += batch.events(
            logged: try transaction.log.append(batch.drafts, at: now, in: connection))
        transaction.changes.waiting += batch.waiting
        transaction.changes.done += batch.done
        transaction.changes.ended += batch.done.map(\.origin)
        transaction.failPoints.reach(.stored)
        return results
    }

    /// Returns how a request would be stored; nil if there is no room for it, or it came before in the batch.
    ///
    /// One that was stored earlier takes room here as a new one does: near the limit another may be refused beside it, and
    /// is sent again.
    private func candidate(_ item: IntakeItem, in batch: inout IntakeBatch, at now: Date) throws -> IntakeCandidate? {
        let accepted = item.accepted
        // Without room the log is not read: a client that sends too much must not cause reads.
        guard batch.room > 0, batch.ids.insert(accepted.id).inserted else { return nil }
        let fresh = try freshEvents(for: accepted.request, in: &batch, at: now)
        if fresh == nil { batch.room -= 1 }
        let isOwn = fresh == nil && !(item.isOrder && batch.leavesOrders)
        let row = inboxRow(
            accepted.id, accepted.request.topic, item.frames.body, request: accepted.request.frames.body,
            origin: accepted.origin, fresh == nil ? .waiting : .done, claimedBy: isOwn ? transaction.worker : 0,
            at: now)
        return IntakeCandidate(row: row, fresh: fresh, isOwn: isOwn)
    }

    private func accept(
        _ item: IntakeItem, _ candidate: IntakeCandidate, into batch: inout IntakeBatch
    ) throws -> IntakeResult {
        let accepted = item.accepted
        batch.drafts.append(EventDraft(accepted: accepted))
        if let fresh = candidate.fresh {
            batch.fresh[batch.drafts.count] = fresh
            batch.drafts.append(EventDraft(done: accepted, events: fresh, FetchResult(logged: fresh)))
            batch.done.append(accepted)
        } else {
            try OrderStore(transaction).insert(item.attachments, of: accepted.id)
            if candidate.isOwn { batch.waiting.append(accepted) }
        }
        return .accepted
    }

    /// Returns all that a request asks for, if the log has it fresh.
    private func freshEvents(
        for request: Request, in batch: inout IntakeBatch, at now: Date
    ) throws -> [LoggedEvent]? {
        let query = Request(request.target, refresh: request.refresh)
        if let known = batch.queries[query] { return known }
        // The fetcher meets an unreadable event again and fails this request alone; failing here would fail the batch.
        let fresh = try readable { try Freshness(transaction).events(for: query, at: now) }
        let events = fresh.flatMap { $0.isComplete ? $0.events : nil }
        batch.queries[query] = .some(events)
        return events
    }

    /// Returns what becomes of a request that was not stored: the body that was sent distinguishes a repetition from a
    /// conflict.
    private func result(of item: IntakeItem) throws(DatabaseError) -> IntakeResult {
        let earlier = try connection.query(
            "select topic, digest from inbox where id = ?", item.accepted.id, as: String.self, String.self)
        guard let earlier = earlier.first else { return .overloaded }
        let topic = item.accepted.request.topic.rawValue
        return earlier == (topic, Self.digest(of: item.frames.body)) ? .duplicate : .conflict
    }

    /// Logs the failure of rejected requests. A request whose id is used has an end of its own and gets none here.
    func reject(_ requests: [RejectedRequest]) throws {
        let now = transaction.now
        // Stored as failed, so that the id is used.
        let inserted = try insert(
            requests.map {
                inboxRow($0.id, $0.topic, $0.body, request: "", origin: .client, .failed, claimedBy: 0, at: now)
            })
        let new = zip(requests, inserted).filter(\.1)
        let drafts = new.map { rejected, _ in
            let topic = rejected.topic.rawValue
            // A long body is not written to the log: a refused client decides how long it is.
            let isShort = rejected.body.utf8.count <= Self.rejectedBodyLimit
            let fields = RequestFields(of: RequestFrames(topic: topic, body: isShort ? rejected.body : ""))
            return EventDraft(failed: rejected.id, topic: topic, request: fields, rejected.error)
        }
        transaction.end(.client, events: try transaction.append(drafts))
    }

    /// Inserts requests, and returns which of them are new: the id of the others is used.
    private func insert(_ rows: [InboxRow]) throws(DatabaseError) -> [Bool] {
        try connection.executeEach(
            """
            insert into inbox (id, topic, digest, request, accepted_at, state, origin, claimed_by)
            values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing
            """, rows
        ).map { $0 > 0 }
    }

    private func inboxRow(
        _ id: RequestID, _ topic: RequestTopic, _ body: String, request: String, origin: RequestOrigin, _ state: State,
        claimedBy worker: Int, at now: Date
    ) -> InboxRow {
        (
            id, topic.rawValue, Self.digest(of: body), request, now.toTheSecond, state.rawValue, origin.rawValue,
            worker
        )
    }

    private static func digest(of body: String) -> String {
        SHA256.hexDigest(of: Array(body.utf8))
    }
}

/// The columns of a new request: id, topic, digest, request, time, state, origin and the worker that claims it.
private typealias InboxRow = (RequestID, String, String, String, String, Int, Int, Int)

/// How a request would be stored.
private struct IntakeCandidate {
    var row: InboxRow
    /// All that it asks for, if the log has it fresh.
    var fresh: [LoggedEvent]?
    /// Whether this worker claims it.
    var isOwn: Bool
}

/// Requests that are accepted in one transaction.
private struct IntakeBatch {
    /// How many more requests may wait.
    var room: Int
    /// Whether orders to the shop are left to another worker, which leads.
    var leavesOrders = false
    var ids: Set<RequestID> = []
    var waiting: [AcceptedRequest] = []
    var done: [AcceptedRequest] = []
    /// The log's fresh events so far: clients often ask for the same thing at once, and it is read once.
    var queries: [Request: [LoggedEvent]?] = [:]
    var drafts: [EventDraft] = []
    /// The events that are published again, by the index of the draft of `request.done`.
    var fresh: [Int: [LoggedEvent]] = [:]

    /// Returns the events to publish: those of the log before their `request.done`.
    func events(logged: [LoggedEvent]) -> [LoggedEvent] {
        logged.enumerated().flatMap { index, event in fresh[index, default: []] + [event] }
    }
}

extension EventDraft {
    /// Makes the event `request.accepted.<id>`.
    fileprivate init(accepted: AcceptedRequest) {
        let request = accepted.request
        self.init(
            .request(.accepted, accepted.id), correlationID: accepted.id, priority: request.priority,
            data: RequestAccepted(topic: request.topic.rawValue, request: request.fields).json)
    }
}

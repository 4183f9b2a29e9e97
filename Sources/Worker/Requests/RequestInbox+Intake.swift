import Contract
import Crypto
import EventStore
import FoundationEssentials
import JSONCoding
import ServiceRuntime
import Storage

enum IntakeResult: Sendable {
    case accepted
    /// The same request was accepted before; it is done once.
    case duplicate
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

    /// Accepts requests and returns what became of each, in their order. One for which the log has fresh events ends in
    /// the same transaction; see docs/decisions/answering-from-the-log.md.
    func accept(_ items: [IntakeItem]) throws -> [IntakeResult] {
        let now = transaction.now
        var room = try transaction.inboxLimit - waitingCount()
        let leavesOrders = try items.contains { $0.isOrder } && !WorkerRegistry(transaction).isLeader()
        var ids: Set<RequestID> = []
        // Clients often ask for the same thing at once, and it is read once.
        var known: [Request: [LoggedEvent]?] = [:]
        let candidates = try items.map { item -> IntakeCandidate? in
            // Without room the log is not read: a client that sends too much must not cause reads. A request that was
            // stored earlier takes room here as a new one does; one that is refused beside it is sent again.
            guard room > 0, ids.insert(item.accepted.id).inserted else { return nil }
            let fresh = try freshEvents(for: item.accepted.request, &known, at: now)
            if fresh == nil { room -= 1 }
            return (item, fresh, isOwn: fresh == nil && !(item.isOrder && leavesOrders))
        }
        var inserted = try insert(candidates.compactMap { $0.map { row(of: $0, at: now) } })[...]
        var drafts: [EventDraft] = []
        // The events that are published again, by the index of the draft of `request.done`.
        var repeated: [Int: [LoggedEvent]] = [:]
        let results = try zip(items, candidates).map { item, candidate in
            guard let candidate, inserted.removeFirst() else { return try result(of: item) }
            let accepted = item.accepted
            drafts.append(EventDraft(accepted: accepted))
            if let fresh = candidate.fresh {
                repeated[drafts.count] = fresh
                drafts.append(EventDraft(done: accepted, events: fresh, FetchResult(logged: fresh)))
                transaction.changes.done.append(accepted)
                transaction.changes.ended.append(accepted.origin)
            } else {
                try OrderStore(transaction).insert(item.attachments, of: accepted.id)
                if candidate.isOwn { transaction.changes.waiting.append(accepted) }
            }
            return IntakeResult.accepted
        }
        for (index, event) in try transaction.log.append(drafts, at: now, in: connection).enumerated() {
            transaction.changes.events += repeated[index, default: []] + [event]
        }
        transaction.failPoints.reach(.stored)
        return results
    }

    private func freshEvents(
        for request: Request, _ known: inout [Request: [LoggedEvent]?], at now: Date
    ) throws -> [LoggedEvent]? {
        let query = Request(request.target, refresh: request.refresh)
        if let events = known[query] { return events }
        // The fetcher meets an unreadable event again and fails this request alone; failing here would fail the batch.
        let fresh = try readable { try Freshness(transaction).events(for: query, at: now) }
        let events = fresh.flatMap { $0.isComplete ? $0.events : nil }
        known[query] = .some(events)
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
                row($0.id, $0.topic, $0.body, request: "", origin: .client, .failed, claimedBy: 0, at: now)
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

    private func row(of candidate: IntakeCandidate, at now: Date) -> InboxRow {
        let accepted = candidate.item.accepted
        return row(
            accepted.id, accepted.request.topic, candidate.item.frames.body, request: accepted.request.frames.body,
            origin: accepted.origin, candidate.fresh == nil ? .waiting : .done,
            claimedBy: candidate.isOwn ? transaction.worker : 0, at: now)
    }

    private func row(
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

private typealias InboxRow = (RequestID, String, String, String, String, Int, Int, Int)

/// A request that is to be stored, all that it asks for if the log has it fresh, and whether this worker claims it.
private typealias IntakeCandidate = (item: IntakeItem, fresh: [LoggedEvent]?, isOwn: Bool)

extension EventDraft {
    fileprivate init(accepted: AcceptedRequest) {
        let request = accepted.request
        self.init(
            .request(.accepted, accepted.id), correlationID: accepted.id, priority: request.priority,
            data: RequestAccepted(topic: request.topic.rawValue, request: request.fields).json)
    }
}

import Contract
import EventStore
import FoundationEssentials
import Operations
import SQLite

/// Accepts requests into the inbox, and answers at once those that the log can answer.
struct IntakeStore {
    /// The longest body of a refused request that `request.failed` repeats, in bytes.
    private static let rejectedBodyLimit = 1_024

    private let transaction: StoreTransaction

    init(_ transaction: StoreTransaction) {
        self.transaction = transaction
    }

    /// Accepts requests and returns what became of each, in their order.
    ///
    /// A request that the log can answer ends in the same transaction.
    ///
    /// See docs/decisions/answering-from-the-log.md.
    func accept(_ items: [IntakeItem]) throws -> [IntakeOutcome] {
        let now = transaction.wallClock.now()
        var batch = IntakeBatch(room: try transaction.inbox.room(in: transaction.connection))
        let outcomes = try items.map { try accept($0, into: &batch, at: now) }
        transaction.changes.events += batch.events(
            logged: try transaction.log.append(batch.drafts, at: now, in: transaction.connection))
        transaction.changes.waiting += batch.waiting
        transaction.changes.answered += batch.answered
        transaction.changes.ended += batch.answered.map(\.origin)
        transaction.failPoints.reach(.stored)
        return outcomes
    }

    /// Logs the failure of rejected requests. A request whose id is used has an end of its own and gets none here.
    func reject(_ requests: [RejectedRequest]) throws {
        let now = transaction.wallClock.now()
        let new = try requests.filter { try transaction.inbox.reject($0, at: now, in: transaction.connection) }
        let drafts = new.map { rejected in
            let topic = rejected.topic.rawValue
            // A long body is not written to the log: a refused client decides how long it is.
            let isShort = rejected.body.utf8.count <= Self.rejectedBodyLimit
            let fields = RequestFields(of: RequestFrames(topic: topic, body: isShort ? rejected.body : ""))
            return EventDraft(failed: rejected.id, topic: topic, request: fields, rejected.error)
        }
        transaction.end(.client, events: try transaction.append(drafts))
    }

    /// Returns the requests that have not ended. One that cannot be read any more fails, and one that has been begun
    /// three times is set aside.
    func loadPending() throws -> [AcceptedRequest] {
        var pending: [AcceptedRequest] = []
        try transaction.inbox.countFirstTries(in: transaction.connection)
        for row in try transaction.inbox.waiting(in: transaction.connection) {
            let frames = RequestFrames(topic: row.topic, body: row.request)
            guard row.tries < RequestInbox.triesLimit else {
                let error = ContractError(
                    .internal, "the worker ended \(row.tries) times while it processed this request; it is set aside")
                try SettlementStore(transaction).setAside(
                    row.id, topic: row.topic, RequestFields(of: frames), origin: row.origin, error)
                continue
            }
            do throws(ContractError) {
                // Its day was in range when it was accepted, whatever the clock says now.
                let request = try Request(frames, at: .distantFuture)
                pending.append(AcceptedRequest(id: row.id, request: request, origin: row.origin, tries: row.tries))
            } catch {
                try SettlementStore(transaction).fail(
                    row.id, topic: row.topic, RequestFields(of: frames), origin: row.origin, error)
            }
        }
        transaction.changes.pending = pending
        return pending
    }

    private func accept(
        _ item: IntakeItem, into batch: inout IntakeBatch, at now: Date
    ) throws -> IntakeOutcome {
        let accepted = item.accepted
        // Without room nothing is answered: a client that sends too much must not cause reads of the log.
        let result = batch.room > 0 ? try result(for: accepted.request, in: &batch, at: now) : nil
        let outcome = try transaction.inbox.accept(
            accepted, sentAs: item.frames, as: result == nil ? .waiting : .done, room: batch.room, at: now,
            in: transaction.connection)
        guard case .accepted = outcome else { return outcome }
        batch.drafts.append(EventDraft(accepted: accepted))
        if let result {
            batch.answers[batch.drafts.count] = result.logged
            batch.drafts.append(EventDraft(done: accepted, events: result.logged, result))
            batch.answered.append(accepted)
        } else {
            try OrderStore(transaction.connection, seal: transaction.seal).insert(item.attachments, of: accepted.id)
            batch.waiting.append(accepted)
            batch.room -= 1
        }
        return outcome
    }

    private func result(
        for request: Request, in batch: inout IntakeBatch, at now: Date
    ) throws -> FetchResult? {
        let query = Request(request.target, refresh: request.refresh)
        if let result = batch.results[query] { return result }
        let result: FetchResult?
        do {
            result = try AnswerStore(transaction).answer(to: query, at: now)
        } catch is DecodingError {
            // An unreadable event is no answer. The fetcher meets it again and fails this request alone; failing here
            // would fail the whole batch.
            result = nil
        }
        batch.results[query] = .some(result)
        return result
    }
}

/// Requests that are accepted in one transaction.
private struct IntakeBatch {
    /// How many more requests may wait.
    var room: Int
    var waiting: [AcceptedRequest] = []
    var answered: [AcceptedRequest] = []
    /// The log's answers so far: clients often ask for the same thing at once, and it is read once.
    var results: [Request: FetchResult?] = [:]
    var drafts: [EventDraft] = []
    /// The events that the log answers with, by the index of the draft of `request.done`.
    var answers: [Int: [LoggedEvent]] = [:]

    init(room: Int) {
        self.room = room
    }

    /// Returns the events to publish: each answer from the log before its `request.done`.
    func events(logged: [LoggedEvent]) -> [LoggedEvent] {
        logged.enumerated().flatMap { index, event in answers[index, default: []] + [event] }
    }
}

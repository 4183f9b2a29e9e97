import Contract
import EventStore
import FoundationEssentials
import Operations
import SQLite

extension WorkerStore {
    /// A request on its way into the inbox.
    struct IntakeItem: Sendable {
        let accepted: AcceptedRequest
        let frames: RequestFrames
        var attachments = Attachments.none
    }

    /// The new ones of the requests that were offered.
    struct IntakeResult: Sendable {
        /// Those that an upstream has to be asked for.
        var waiting: [AcceptedRequest] = []
        /// Those that the log has answered.
        var answered: [AcceptedRequest] = []
    }

    /// Takes requests in, all in one transaction, and says what became of each.
    ///
    /// What the log can answer is answered there and then. Once all that is on disk, and its events are published, `then`
    /// gets the new requests, on the writer's own queue: it must be short.
    ///
    /// See docs/decisions/0029-answering-from-the-log.md.
    func offer(
        _ offers: [IntakeItem], then: @escaping @Sendable (IntakeResult) -> Void = { _ in }
    ) async throws -> [RequestInbox.Answer] {
        let now = clock.now()
        return try await database.write { connection in
            var intake = IntakeBatch(room: try inbox.room(in: connection))
            let answers = try offers.map { try take($0, into: &intake, at: now, in: connection) }
            let events = intake.events(logged: try log.append(intake.drafts, at: now, in: connection))
            failPoints.reach(.stored)
            let admission = intake.admission
            connection.afterCommit {
                failPoints.reach(.accepted)
                publish(events)
                for answered in admission.answered { onEnd(answered.origin) }
                then(admission)
            }
            return answers
        }
    }

    /// Requests that come in together.
    private struct IntakeBatch {
        /// How many more requests may wait.
        var room: Int
        var admission = IntakeResult()
        /// What the log knows of what was asked: many ask for the same at once, and it is read once.
        var known: [Request: FetchResult?] = [:]
        var drafts: [EventDraft] = []
        /// What the log answers with, by the place of the draft that says so.
        var retold: [Int: [LoggedEvent]] = [:]

        init(room: Int) {
            self.room = room
        }

        /// What is published once the drafts are logged: each answer of the log before the event that says so.
        func events(logged: [LoggedEvent]) -> [LoggedEvent] {
            logged.enumerated().flatMap { place, event in retold[place, default: []] + [event] }
        }
    }

    private func take(
        _ offer: IntakeItem, into intake: inout IntakeBatch, at now: Date, in connection: Connection
    ) throws -> RequestInbox.Answer {
        let accepted = offer.accepted
        // Without room nothing is answered, and who sends too much does not have the log read for it.
        let result = intake.room > 0 ? try result(for: accepted.request, in: &intake, at: now, connection) : nil
        let answer = try inbox.take(
            accepted, sentAs: offer.frames, as: result == nil ? .waiting : .done, room: intake.room, at: now,
            in: connection)
        guard case .accepted = answer else { return answer }
        intake.drafts.append(EventDraft(accepted: accepted))
        if let result {
            intake.retold[intake.drafts.count] = result.logged
            intake.drafts.append(EventDraft(done: accepted, events: result.logged, result))
            intake.admission.answered.append(accepted)
        } else {
            try AttachmentTable.keep(offer.attachments, of: accepted.id, in: connection)
            intake.admission.waiting.append(accepted)
            intake.room -= 1
        }
        return answer
    }

    private func result(
        for request: Request, in intake: inout IntakeBatch, at now: Date, _ connection: Connection
    ) throws -> FetchResult? {
        let question = Request(request.target, refresh: request.refresh)
        if let result = intake.known[question] { return result }
        let result = try answerAtOnce(to: question, at: now, in: connection)
        intake.known[question] = .some(result)
        return result
    }
}

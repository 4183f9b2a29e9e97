import Contract
import EventStore

extension EventDraft {
    /// `request.accepted.<id>`
    init(accepted: AcceptedRequest) throws {
        let request = accepted.request
        try self.init(
            .request(.accepted, accepted.id), correlationID: accepted.id, priority: request.priority,
            encoding: RequestAccepted(topic: request.topic.rawValue, request: request.fields))
    }

    /// `request.done.<id>`
    init(done accepted: AcceptedRequest, events: [LoggedEvent], _ result: FetchResult) throws {
        let answers = events.map {
            RequestDone.Answer(topic: $0.topic.description, stream: $0.stream, sequence: $0.sequence)
        }
        try self.init(
            .request(.done, accepted.id), correlationID: accepted.id, priority: accepted.request.priority,
            encoding: RequestDone(
                topic: accepted.request.topic.rawValue, events: answers, from: result.source,
                problems: result.problems))
    }

    /// `request.failed.<id>`
    init(
        failed id: RequestID, topic: String, request: RequestFields, priority: Request.Priority = .live,
        _ failure: ContractError
    ) throws {
        try self.init(
            .request(.failed, id), correlationID: id, priority: priority,
            encoding: RequestFailed(topic: topic, request: request, error: failure))
    }
}

import Contract
import EventStore
import JSONCoding

extension EventDraft {
    /// Makes the event `request.accepted.<id>`.
    init(accepted: AcceptedRequest) {
        let request = accepted.request
        self.init(
            .request(.accepted, accepted.id), correlationID: accepted.id, priority: request.priority,
            data: RequestAccepted(topic: request.topic.rawValue, request: request.fields).json)
    }

    /// Makes the event `request.done.<id>`.
    init(done accepted: AcceptedRequest, events: [LoggedEvent], _ result: FetchResult) {
        let answers = events.map {
            RequestDone.Answer(topic: $0.topic.description, stream: $0.stream, sequence: $0.sequence)
        }
        self.init(
            .request(.done, accepted.id), correlationID: accepted.id, priority: accepted.request.priority,
            data: RequestDone(
                topic: accepted.request.topic.rawValue, events: answers, from: result.source,
                problems: result.problems
            ).json)
    }

    /// Makes the event `request.failed.<id>`.
    init(
        failed id: RequestID, topic: String, request: RequestFields, priority: Request.Priority = .live,
        _ error: ContractError
    ) {
        self.init(
            .request(.failed, id), correlationID: id, priority: priority,
            data: RequestFailed(topic: topic, request: request, error: error).json)
    }
}

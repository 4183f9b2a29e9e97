import Contract
import FoundationEssentials
import JSONCoding

extension LoggedEvent {
    /// Puts a draft into its envelope. `name` is its topic's.
    init(
        _ draft: EventDraft, named name: String, source: String, time: Date, epoch: String, sequence: SequenceNumber,
        previous: SequenceNumber
    ) {
        let topic = draft.topic
        let body = Envelope.json(
            id: draft.id ?? "\(epoch)/\(topic.stream.rawValue)/\(sequence)", source: source, type: topic.type,
            subject: topic.subject, time: time, stream: topic.stream, epoch: epoch, sequence: sequence,
            previous: previous, correlationID: draft.correlationID, priority: draft.priority, data: draft.data)
        self.init(topic: topic, named: Array(name.utf8), sequence: sequence, body: body)
    }

    /// Puts an event into the same envelope with another epoch.
    init(_ event: Event, epoch: String) throws(DecodingError) {
        let data = try JSONValue(parsing: event.body).value("data").bytes
        let body = Envelope.json(
            id: event.id, source: event.source, type: event.type, subject: event.subject, time: event.time,
            stream: event.stream, epoch: epoch, sequence: event.sequence, previous: event.previous,
            correlationID: event.correlationID, priority: event.priority, data: data)
        self.init(topic: event.topic, sequence: event.sequence, body: body)
    }
}

extension Envelope {
    /// The object's bytes: the attributes in the contract's order, then the data as it is.
    fileprivate static func json(
        id: String, source: String, type: String, subject: String, time: Date, stream: Stream, epoch: String,
        sequence: SequenceNumber, previous: SequenceNumber, correlationID: RequestID?, priority: Request.Priority,
        data: [UInt8]
    ) -> [UInt8] {
        let attributes: [(name: String, value: String?)] = [
            ("specversion", Event.version),
            ("id", id),
            ("source", source),
            ("type", type),
            ("subject", subject),
            ("time", Timestamp.text(time)),
            ("datacontenttype", "application/json"),
            ("stream", stream.rawValue),
            ("epoch", epoch),
            ("sequence", sequence.description),
            ("previous", previous.description),
            ("correlationid", correlationID?.description),
            ("priority", priority == .live ? nil : priority.rawValue),
        ]
        return json(attributes, data: data)
    }
}

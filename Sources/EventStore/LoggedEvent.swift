public import Contract
import FoundationEssentials
public import JSONCoding

/// An event that the log has not yet given a sequence.
public struct EventDraft: Hashable, Sendable {
    /// The event's topic.
    public let topic: Topic
    /// The event's id, if the fact has one of its own; otherwise the log makes one of epoch, stream and sequence.
    public let id: String?
    /// The request that caused the event.
    public let correlationID: RequestID?
    /// That request's priority; `live` if there is none.
    public let priority: Request.Priority
    /// The event's data, in JSON.
    public let data: [UInt8]

    /// Makes a draft of encoded data.
    public init(
        _ topic: Topic, id: String? = nil, correlationID: RequestID? = nil, priority: Request.Priority = .live,
        data: [UInt8]
    ) {
        self.topic = topic
        self.id = id
        self.correlationID = correlationID
        self.priority = priority
        self.data = data
    }

    /// Makes a draft and encodes its data once.
    public init(
        _ topic: Topic, id: String? = nil, correlationID: RequestID? = nil, priority: Request.Priority = .live,
        encoding data: some Encodable
    ) throws(EncodingError) {
        self.init(topic, id: id, correlationID: correlationID, priority: priority, data: try JSON.encode(data))
    }
}

/// An event as the log stores it and the publisher sends it. Its bytes are parsed only on demand.
public struct LoggedEvent: Hashable, Sendable {
    /// The event's topic.
    public let topic: Topic
    /// The event's sequence in the topic's stream.
    public let sequence: SequenceNumber
    /// The two frames of the event's message: the topic's text and the body.
    public let frames: [[UInt8]]

    /// The second frame: the CloudEvents JSON, byte for byte as stored and published.
    public var body: [UInt8] { frames[1] }

    /// The stream that the sequence counts.
    public var stream: Stream { topic.stream }

    /// The priority of the request that caused the event, as the envelope says.
    public var priority: Request.Priority {
        get throws(DecodingError) { try Event(topic: topic, body: body).priority }
    }

    init(topic: Topic, sequence: SequenceNumber, body: [UInt8]) {
        self.init(topic: topic, named: Array(topic.description.utf8), sequence: sequence, body: body)
    }

    /// Makes an event of a topic and its text, which need not be formatted again.
    init(topic: Topic, named name: [UInt8], sequence: SequenceNumber, body: [UInt8]) {
        self.topic = topic
        self.sequence = sequence
        frames = [name, body]
    }

    /// Decodes the event's data.
    public func data<Value: Decodable>(as type: Value.Type = Value.self) throws(DecodingError) -> Value {
        try Event.data(in: body, as: type)
    }

    /// Decodes the event's data, for a type that reads JSON directly.
    public func data<Value: JSONReadable>(as type: Value.Type = Value.self) throws(DecodingError) -> Value {
        try Event.data(in: body, as: type)
    }
}

// MARK: - Envelope

extension LoggedEvent {
    /// Puts a draft into its envelope, with the attributes in the contract's order; `name` is the text of its topic.
    init(
        _ draft: EventDraft, named name: String, source: String, time: Date, epoch: String, sequence: SequenceNumber,
        previous: SequenceNumber
    ) {
        let topic = draft.topic
        let attributes: [(name: String, value: String?)] = [
            ("specversion", Event.version),
            ("id", draft.id ?? "\(epoch)/\(topic.stream.rawValue)/\(sequence)"),
            ("source", source),
            ("type", topic.type),
            ("subject", topic.subject),
            ("time", Timestamp.text(time)),
            ("datacontenttype", "application/json"),
            ("stream", topic.stream.rawValue),
            ("epoch", epoch),
            ("sequence", sequence.description),
            ("previous", previous.description),
            ("correlationid", draft.correlationID?.description),
            ("priority", draft.priority == .live ? nil : draft.priority.rawValue),
        ]
        self.init(
            topic: topic, named: Array(name.utf8), sequence: sequence,
            body: Envelope.json(attributes, data: draft.data))
    }

    /// Puts an event into the same envelope with another epoch.
    init(_ event: Event, epoch: String) throws(DecodingError) {
        let draft = EventDraft(
            event.topic, id: event.id, correlationID: event.correlationID, priority: event.priority,
            data: try JSONValue(parsing: event.body).value("data").bytes)
        self.init(
            draft, named: event.topic.description, source: event.source, time: event.time, epoch: epoch,
            sequence: event.sequence, previous: event.previous)
    }
}

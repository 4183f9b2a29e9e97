public import Contract
public import JSONCoding

/// An event as it stands in the log and goes over the wire: bytes that nobody needs to read on the way.
public struct LoggedEvent: Hashable, Sendable {
    /// What it is about.
    public let topic: Topic
    /// Its place in the topic's stream.
    public let sequence: SequenceNumber
    /// The message that it is published as: the topic's text, and the body.
    public let frames: [[UInt8]]

    /// The CloudEvents JSON, exactly as stored and published.
    public var body: [UInt8] { frames[1] }

    /// The stream that its sequence counts.
    public var stream: Stream { topic.stream }

    /// The priority of the request that led to it, as its envelope says.
    public var priority: Request.Priority {
        get throws(DecodingError) { try Event(topic: topic, body: body).priority }
    }

    init(topic: Topic, sequence: SequenceNumber, body: [UInt8]) {
        self.init(topic: topic, named: Array(topic.description.utf8), sequence: sequence, body: body)
    }

    /// An event whose topic was read from its name, which need not be written again.
    init(topic: Topic, named name: [UInt8], sequence: SequenceNumber, body: [UInt8]) {
        self.topic = topic
        self.sequence = sequence
        frames = [name, body]
    }

    /// Reads the data.
    public func data<Value: Decodable>(as type: Value.Type = Value.self) throws(DecodingError) -> Value {
        try Event.data(in: body, as: type)
    }

    /// Reads the data, of a type that is read straight from JSON.
    public func data<Value: JSONReadable>(as type: Value.Type = Value.self) throws(DecodingError) -> Value {
        try Event.data(in: body, as: type)
    }
}

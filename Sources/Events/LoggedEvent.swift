public import JSONReading

/// An event as it stands in the log and goes over the wire: bytes that nobody needs to read on the way.
public struct LoggedEvent: Hashable, Sendable {
    /// What it is about: the message's first frame.
    public let topic: Topic
    /// Its place in the topic's stream.
    public let sequence: SequenceNumber
    /// The CloudEvents JSON, exactly as stored and published: the message's second frame.
    public let body: [UInt8]

    /// The stream that its sequence counts.
    public var stream: Stream { topic.stream }

    /// Reads the data.
    public func data<Value: Decodable>(as type: Value.Type = Value.self) throws(DecodingError) -> Value {
        try Event.data(in: body, as: type)
    }

    /// Reads the data, of a type that is read straight from JSON.
    public func data<Value: JSONReadable>(as type: Value.Type = Value.self) throws(DecodingError) -> Value {
        try Event.data(in: body, as: type)
    }
}

public import FoundationEssentials

/// An event as its reader sees it: the attributes of a CloudEvents 1.0 envelope, and the data when asked for.
public struct Event: Hashable, Sendable {
    /// The version of CloudEvents that we speak.
    static let version = "1.0"

    /// What it is about.
    public let topic: Topic
    /// The envelope as it came.
    public let body: [UInt8]

    /// The same whenever the same fact is sent again.
    public let id: String
    /// Who says so, such as `/marquee/worker`.
    public let source: String
    /// What kind of event it is, such as `marquee.ranking.day.v1`.
    public let type: String
    /// What it is about, without the kind.
    public let subject: String
    /// When it entered the log.
    public let time: Date
    /// Which log it is from; numbers start anew in another.
    public let epoch: String
    /// Its place in the topic's stream.
    public let sequence: SequenceNumber
    /// The place of the event before it with the same topic, or zero.
    public let previous: SequenceNumber
    /// The request that led to it.
    public let correlationID: RequestID?
    /// That request's priority: what `backfill` led to is history, however new it is.
    public let priority: Request.Priority

    /// The stream that its sequence counts.
    public var stream: Stream { topic.stream }

    /// Reads the attributes of a message's two frames; fields that it does not know do not matter.
    public init(topic: Topic, body: [UInt8]) throws(DecodingError) {
        let attributes = try JSON.decode(Attributes.self, from: body)
        guard attributes.specversion == Self.version, attributes.stream == topic.stream else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: [], debugDescription: "the envelope is not of an event of \(topic)"))
        }
        self.topic = topic
        self.body = body
        id = attributes.id
        source = attributes.source
        type = attributes.type
        subject = attributes.subject
        time = attributes.time.instant
        epoch = attributes.epoch
        sequence = attributes.sequence
        previous = attributes.previous
        correlationID = attributes.correlationid
        priority = attributes.priority.flatMap(Request.Priority.init(rawValue:)) ?? .live
    }

    /// Reads the data.
    public func data<Value: Decodable>(as type: Value.Type = Value.self) throws(DecodingError) -> Value {
        try Self.data(in: body, as: type)
    }
}

extension Event {
    private struct Attributes: Decodable {
        let specversion: String
        let id: String
        let source: String
        let type: String
        let subject: String
        let time: Time
        let stream: Stream
        let epoch: String
        let sequence: SequenceNumber
        let previous: SequenceNumber
        let correlationid: RequestID?
        let priority: String?
    }

    private struct Time: Decodable {
        let instant: Date

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let instant = Timestamp.instant(text) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is no time")
            }
            self.instant = instant
        }
    }

    private struct Content<Value: Decodable>: Decodable {
        let data: Value
    }

    /// Reads the data of an envelope.
    static func data<Value: Decodable>(in body: [UInt8], as type: Value.Type) throws(DecodingError) -> Value {
        try JSON.decode(Content<Value>.self, from: body).data
    }
}

public import Contract
import JSONCoding

/// An event before the log has given it its place.
public struct EventDraft: Hashable, Sendable {
    /// What it is about.
    public let topic: Topic
    /// Its id, if the fact itself has one; else the log makes it of epoch, stream and sequence.
    public let id: String?
    /// The request that led to it.
    public let correlationID: RequestID?
    /// That request's priority; live if there is none.
    public let priority: Request.Priority
    /// Its data, in JSON.
    public let data: [UInt8]

    /// Makes a draft of an event whose data is JSON already.
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

    /// Makes a draft, and the JSON of its data: from here on nothing encodes it again.
    public init(
        _ topic: Topic, id: String? = nil, correlationID: RequestID? = nil, priority: Request.Priority = .live,
        encoding data: some Encodable
    ) throws(EncodingError) {
        self.init(topic, id: id, correlationID: correlationID, priority: priority, data: try JSON.encode(data))
    }
}

public import FoundationEssentials
public import JSONCoding

/// A received event: the attributes of a CloudEvents 1.0 envelope, and the data, which is decoded on demand.
public struct Event: Hashable, Sendable {
    /// The version of CloudEvents in envelopes.
    public static let version = "1.0"
    /// The most bytes of an event: a frame of this size is the largest that clients receive.
    public static let maximumBytes = 1 << 20
    /// The most bytes of an event's data, beside which the attributes have room.
    public static let maximumDataBytes = maximumBytes - (4 << 10)

    /// The event's topic.
    public let topic: Topic
    /// The envelope as received.
    public let body: [UInt8]

    /// The event's id: equal whenever the same event is sent again.
    public let id: String
    /// The process that published the event, such as `/marquee/worker`.
    public let source: String
    /// The kind of event, such as `marquee.ranking.day.v1`.
    public let type: String
    /// The subject: the topic without the kind.
    public let subject: String
    /// The time at which the event entered the log.
    public let time: Date
    /// The epoch of the event's log; sequences are comparable only within one epoch.
    public let epoch: String
    /// The event's sequence in the topic's stream.
    public let sequence: SequenceNumber
    /// The sequence of the previous event with the same topic; zero if there is none.
    public let previous: SequenceNumber
    /// The request that caused the event.
    public let correlationID: RequestID?
    /// That request's priority; an event that a `backfill` request caused is history, however new it is.
    public let priority: Request.Priority

    /// The stream that the sequence counts.
    public var stream: Stream { topic.stream }
}

extension Event {
    /// Reads the attributes from the two frames of a message. Unknown attributes are ignored.
    ///
    /// The data of our envelopes is parsed only by `data(as:)` and need not be valid JSON until then.
    ///
    /// - Throws: A `DecodingError` if an attribute is missing or invalid.
    public init(topic: Topic, body: [UInt8]) throws(DecodingError) {
        if let event = Event(ours: body, topic: topic) {
            self = event
        } else {
            self = try Event(topic: topic, body: body, JSONValue(parsing: body))
        }
    }

    /// Reads an envelope in the form that this version writes; nil for any other form.
    private init?(ours body: [UInt8], topic: Topic) {
        guard var reader = EnvelopeReader(body), reader.has("specversion", "1.0"), let id = reader.text("id"),
            let source = reader.text("source"), let type = reader.text("type"), let subject = reader.text("subject"),
            let time = reader.text("time").flatMap(Timestamp.instant),
            reader.has("datacontenttype", "application/json"),
            let stream = reader.text("stream").flatMap({ Stream(rawValue: $0) }), stream == topic.stream,
            let epoch = reader.text("epoch"), let sequence = reader.sequence("sequence"),
            let previous = reader.sequence("previous")
        else { return nil }
        var correlationID: RequestID?
        if let text = reader.text("correlationid") {
            guard let id = RequestID(text) else { return nil }
            correlationID = id
        }
        let priority = reader.text("priority").flatMap(Request.Priority.init)
        guard reader.isAtData else { return nil }
        self.init(
            topic: topic, body: body, id: id, source: source, type: type, subject: subject, time: time, epoch: epoch,
            sequence: sequence, previous: previous, correlationID: correlationID, priority: priority ?? .live)
    }

    private init(topic: Topic, body: [UInt8], _ attributes: JSONValue) throws(DecodingError) {
        let specversion = try attributes.value("specversion").text()
        let stream = try attributes.value("stream").word(as: Stream.self)
        guard specversion == Self.version, stream == topic.stream else {
            throw attributes.unreadable("the envelope does not belong to the topic \(topic)")
        }
        self.topic = topic
        self.body = body
        id = try attributes.value("id").text()
        source = try attributes.value("source").text()
        type = try attributes.value("type").text()
        subject = try attributes.value("subject").text()
        time = try attributes.value("time").instant()
        epoch = try attributes.value("epoch").text()
        sequence = try attributes.value("sequence").text()
        previous = try attributes.value("previous").text()
        correlationID = try attributes["correlationid"]?.text()
        priority = try (attributes["priority"]?.text()).flatMap(Request.Priority.init) ?? .live
    }

    /// Decodes the data.
    public func data<Value: Decodable>(as type: Value.Type = Value.self) throws(DecodingError) -> Value {
        try Self.data(in: body, as: type)
    }

    /// Decodes the data, for a type that reads JSON directly.
    public func data<Value: JSONReadable>(as type: Value.Type = Value.self) throws(DecodingError) -> Value {
        try Self.data(in: body, as: type)
    }

    /// Decodes the data of an envelope.
    public static func data<Value: Decodable>(in body: [UInt8], as type: Value.Type) throws(DecodingError) -> Value {
        try JSONValue(parsing: body).value("data").decode()
    }

    /// Decodes the data of an envelope, for a type that reads JSON directly.
    public static func data<Value: JSONReadable>(in body: [UInt8], as type: Value.Type) throws(DecodingError) -> Value {
        try Value(json: JSONValue(parsing: body).value("data"))
    }

    /// The bytes of the data, for passing it on without decoding; nil if `data` is not the envelope's last member.
    public var dataJSON: [UInt8]? {
        // Quotes inside a text are escaped, so the first match is the name.
        let name = body.firstRange(of: Array(",\"data\":".utf8))
        guard let name, body.last == UInt8(ascii: "}") else { return nil }
        return Array(body[name.upperBound...].dropLast())
    }
}

extension JSONValue {
    fileprivate func instant() throws(DecodingError) -> Date {
        let text = try text()
        guard let instant = Timestamp.instant(text) else { throw unreadable("\(text) is not a time") }
        return instant
    }
}

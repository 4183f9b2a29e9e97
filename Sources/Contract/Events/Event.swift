public import FoundationEssentials
public import JSONCoding

/// An event as its reader sees it: the attributes of a CloudEvents 1.0 envelope, and the data when asked for.
public struct Event: Hashable, Sendable {
    /// The version of CloudEvents that we speak.
    public static let version = "1.0"

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
    ///
    /// The data is looked at when it is asked for, and need not be JSON until then: in our envelopes it stands last.
    public init(topic: Topic, body: [UInt8]) throws(DecodingError) {
        if let event = Event(ours: body, topic: topic) {
            self = event
        } else if let head = Envelope.head(of: body), body.last == UInt8(ascii: "}"),
            let attributes = try? JSONValue(parsing: head),
            let event = try? Event(topic: topic, body: body, attributes)
        {
            self = event
        } else {
            // Attributes may follow the data, or it cannot be read: then the error tells of the whole.
            self = try Event(topic: topic, body: body, JSONValue(parsing: body))
        }
    }

    /// Reads an event as we write it; nil if it is another's.
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
        self.topic = topic
        self.body = body
        self.id = id
        self.source = source
        self.type = type
        self.subject = subject
        self.time = time
        self.epoch = epoch
        self.sequence = sequence
        self.previous = previous
        self.correlationID = correlationID
        self.priority = priority ?? .live
    }

    private init(topic: Topic, body: [UInt8], _ attributes: JSONValue) throws(DecodingError) {
        let specversion = try attributes.value("specversion").text()
        let stream = try attributes.value("stream").word(as: Stream.self)
        guard specversion == Self.version, stream == topic.stream else {
            throw attributes.unreadable("the envelope is not of an event of \(topic)")
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

    /// Reads the data.
    public func data<Value: Decodable>(as type: Value.Type = Value.self) throws(DecodingError) -> Value {
        try Self.data(in: body, as: type)
    }

    /// Reads the data, of a type that is read straight from JSON.
    public func data<Value: JSONReadable>(as type: Value.Type = Value.self) throws(DecodingError) -> Value {
        try Self.data(in: body, as: type)
    }
}

extension Event {
    /// Reads the data of an envelope.
    public static func data<Value: Decodable>(in body: [UInt8], as type: Value.Type) throws(DecodingError) -> Value {
        try JSONValue(parsing: body).value("data").decode()
    }

    /// Reads the data of an envelope, of a type that is read straight from JSON.
    public static func data<Value: JSONReadable>(in body: [UInt8], as type: Value.Type) throws(DecodingError) -> Value {
        try Value(json: JSONValue(parsing: body).value("data"))
    }
}

extension JSONValue {
    fileprivate func instant() throws(DecodingError) -> Date {
        let text = try text()
        guard let instant = Timestamp.instant(text) else { throw unreadable("\(text) is no time") }
        return instant
    }
}

extension Event {
    /// The data as the JSON that came, for whoever hands it on and need not read it; nil where the envelope is not one
    /// of ours, in which `data` stands last.
    public var dataJSON: [UInt8]? {
        guard let name = Envelope.dataName(in: body), body.last == UInt8(ascii: "}") else { return nil }
        return Array(body[name.upperBound...].dropLast())
    }
}

public import JSONCoding

/// The data of `request.accepted.<id>`: the request.
public struct RequestAccepted: Hashable, Sendable, JSONReadable, JSONWritable {
    /// The request's topic.
    public let topic: String
    /// The request's fields.
    public let request: RequestFields

    /// Makes the data.
    public init(topic: String, request: RequestFields) {
        self.topic = topic
        self.request = request
    }

    /// Reads the topic, and the fields of the kind that it has.
    public init(json: JSONValue) throws(DecodingError) {
        topic = try json.value("topic").text()
        request = try RequestFields(json: json.value("request"), of: topic)
    }

    /// Writes `request` and `topic`.
    public func write(to json: inout JSONWriter) {
        json.member("request", request, isFirst: true)
        json.member("topic", topic)
        json.endObject()
    }
}

/// The data of `request.done.<id>`: the events that answer the request.
public struct RequestDone: Hashable, Sendable, Decodable, JSONWritable {
    /// The origin of an answer.
    public enum Source: String, Hashable, Sendable, CaseIterable, Codable {
        case upstream
        case log
    }

    /// A reference to an event that answers the request.
    public struct Answer: Hashable, Sendable, Decodable, JSONWritable {
        /// The event's topic.
        public let topic: String
        /// The event's stream.
        public let stream: Stream
        /// The event's sequence in the stream.
        public let sequence: SequenceNumber

        /// Makes the reference to an event.
        public init(topic: String, stream: Stream, sequence: SequenceNumber) {
            self.topic = topic
            self.stream = stream
            self.sequence = sequence
        }

        /// Writes `sequence`, `stream` and `topic`.
        public func write(to json: inout JSONWriter) {
            json.member("sequence", sequence.description, isFirst: true)
            json.member("stream", stream.rawValue)
            json.member("topic", topic)
            json.endObject()
        }
    }

    /// The request's topic.
    public let topic: String
    /// The events, in the order in which they were published.
    public let events: [Answer]
    /// The origin of the events.
    public let from: Source
    /// Problems that did not prevent the answer.
    public let problems: [ContractError]

    /// Makes the data.
    public init(topic: String, events: [Answer], from: Source, problems: [ContractError]) {
        self.topic = topic
        self.events = events
        self.from = from
        self.problems = problems
    }

    /// Writes `events`, `from`, `problems` and `topic`.
    public func write(to json: inout JSONWriter) {
        json.member("events", events, isFirst: true)
        json.member("from", from.rawValue)
        json.beginMember("problems")
        if problems.isEmpty { json.appendJSON("[]") } else { json.appendJSON(JSON.encodeInfallibly(problems)) }
        json.member("topic", topic)
        json.endObject()
    }
}

/// The data of `request.failed.<id>`: the request and the reason of its failure.
public struct RequestFailed: Hashable, Sendable, JSONReadable, JSONWritable {
    /// The request's topic.
    public let topic: String
    /// The request's fields, as far as they could be read.
    public let request: RequestFields
    /// The reason of the failure.
    public let error: ContractError

    /// Makes the data.
    public init(topic: String, request: RequestFields, error: ContractError) {
        self.topic = topic
        self.request = request
        self.error = error
    }

    /// Reads the topic, the fields of the kind that it has, and the error.
    public init(json: JSONValue) throws(DecodingError) {
        topic = try json.value("topic").text()
        request = try RequestFields(json: json.value("request"), of: topic)
        error = try json.value("error").decode()
    }

    /// Writes `error`, `request` and `topic`.
    public func write(to json: inout JSONWriter) {
        json.beginMember("error", isFirst: true)
        json.appendJSON(JSON.encodeInfallibly(error))
        json.member("request", request)
        json.member("topic", topic)
        json.endObject()
    }
}

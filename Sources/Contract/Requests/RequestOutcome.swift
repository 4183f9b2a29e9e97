public import JSONCoding

/// The data of `request.accepted.<id>`: what was asked.
public struct RequestAccepted: Hashable, Sendable, Decodable {
    /// The request's topic.
    public let topic: String
    /// The request's fields.
    public let request: RequestFields

    /// Makes the data.
    public init(topic: String, request: RequestFields) {
        self.topic = topic
        self.request = request
    }

    private enum CodingKeys: CodingKey {
        case topic
        case request
    }

    /// Reads the fields as the topic has them.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        topic = try container.decode(String.self, forKey: .topic)
        request = try container.decodeFields(of: topic, forKey: .request)
    }
}

/// The data of `request.done.<id>`: which events answer the request.
public struct RequestDone: Hashable, Sendable, Decodable {
    /// Where an answer came from.
    public enum Source: String, Hashable, Sendable, CaseIterable, Codable {
        /// An upstream was asked.
        case upstream
        /// The log had it.
        case log
    }

    /// One of the answers, by its place in the log.
    public struct Answer: Hashable, Sendable, Decodable {
        /// The event's topic.
        public let topic: String
        /// Its stream.
        public let stream: Stream
        /// Its place in the stream.
        public let sequence: SequenceNumber

        /// Makes the reference to an event.
        public init(topic: String, stream: Stream, sequence: SequenceNumber) {
            self.topic = topic
            self.stream = stream
            self.sequence = sequence
        }
    }

    /// The request's topic.
    public let topic: String
    /// The events, in the order in which they were published.
    public let events: [Answer]
    /// Where they came from.
    public let from: Source
    /// What went wrong beside them.
    public let problems: [ContractError]

    /// Makes the data.
    public init(topic: String, events: [Answer], from: Source, problems: [ContractError]) {
        self.topic = topic
        self.events = events
        self.from = from
        self.problems = problems
    }
}

/// The data of `request.failed.<id>`: what was asked, and why there is no answer.
public struct RequestFailed: Hashable, Sendable, Decodable {
    /// The request's topic.
    public let topic: String
    /// The request's fields, as far as they could be read.
    public let request: RequestFields
    /// Why there is no answer.
    public let error: ContractError

    /// Makes the data.
    public init(topic: String, request: RequestFields, error: ContractError) {
        self.topic = topic
        self.request = request
        self.error = error
    }

    private enum CodingKeys: CodingKey {
        case topic
        case request
        case error
    }

    /// Reads the fields as the topic has them.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        topic = try container.decode(String.self, forKey: .topic)
        request = try container.decodeFields(of: topic, forKey: .request)
        error = try container.decode(ContractError.self, forKey: .error)
    }
}

// MARK: - JSON

extension RequestAccepted: JSONWritable {
    /// Writes `request` and `topic`.
    public func write(to json: inout JSONWriter) {
        json.member("request", request, isFirst: true)
        json.member("topic", topic)
        json.endObject()
    }
}

extension RequestDone: JSONWritable {
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

extension RequestDone.Answer: JSONWritable {
    /// Writes `sequence`, `stream` and `topic`.
    public func write(to json: inout JSONWriter) {
        json.member("sequence", sequence.description, isFirst: true)
        json.member("stream", stream.rawValue)
        json.member("topic", topic)
        json.endObject()
    }
}

extension RequestFailed: JSONWritable {
    /// Writes `error`, `request` and `topic`.
    public func write(to json: inout JSONWriter) {
        json.beginMember("error", isFirst: true)
        json.appendJSON(JSON.encodeInfallibly(error))
        json.member("request", request)
        json.member("topic", topic)
        json.endObject()
    }
}

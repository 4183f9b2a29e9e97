/// The data of `request.accepted.<id>`: what was asked.
public struct RequestAccepted: Hashable, Sendable, Codable {
    /// The request's topic.
    public let topic: String
    /// The request's fields.
    public let request: RequestFields

    /// Makes the data.
    public init(topic: String, request: RequestFields) {
        self.topic = topic
        self.request = request
    }

    /// Reads the fields as the topic has them.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        topic = try container.decode(String.self, forKey: .topic)
        request = try container.decodeFields(of: topic, forKey: .request)
    }
}

/// The data of `request.done.<id>`: which events answer the request.
public struct RequestDone: Hashable, Sendable, Codable {
    /// Where an answer came from.
    public enum Source: String, Hashable, Sendable, CaseIterable, Codable {
        /// An upstream was asked.
        case upstream
        /// The log had it.
        case log
    }

    /// One of the answers, by its place in the log.
    public struct Answer: Hashable, Sendable, Codable {
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
public struct RequestFailed: Hashable, Sendable, Codable {
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

    /// Reads the fields as the topic has them.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        topic = try container.decode(String.self, forKey: .topic)
        request = try container.decodeFields(of: topic, forKey: .request)
        error = try container.decode(ContractError.self, forKey: .error)
    }
}

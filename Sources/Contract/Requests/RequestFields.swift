public import JSONCoding

/// The fields of a request's body as they stand there, read but not yet checked: each kind of request brings its own.
///
/// See docs/decisions/0024-request-fields-and-attachments.md.
public enum RequestFields: Hashable, Sendable {
    /// Of charts and films.
    case fetch(FetchFields)
    /// Of the shop.
    case product(ProductFields)

    /// Reads a JSON object, or a bare value that stands for the topic's one needed field.
    init(_ body: String, topic: RequestTopic) throws(ContractError) {
        self =
            topic.isAboutProducts
            ? .product(try ProductFields(body, topic: topic)) : .fetch(try FetchFields(body, topic: topic))
    }

    /// Reads as much as can be read of a request that was refused, to say what was asked.
    public init(of frames: RequestFrames) {
        let topic = RequestTopic(text: frames.topic)
        // What cannot be read is left out: the refusal beside it says why.
        self = topic.flatMap { try? RequestFields(frames.body, topic: $0) } ?? .fetch(FetchFields())
    }
}

extension RequestFields: JSONWritable {
    /// Writes the fields of the one kind.
    public func write(to json: inout JSONWriter) {
        switch self {
        case .fetch(let fields): fields.write(to: &json)
        case .product(let fields): json.appendJSON(JSON.encodeInfallibly(fields))
        }
    }
}

extension KeyedDecodingContainer {
    /// Reads the fields of a request whose topic stands beside them.
    func decodeFields(of topic: String, forKey key: Key) throws -> RequestFields {
        RequestTopic(text: topic)?.isAboutProducts == true
            ? .product(try decode(ProductFields.self, forKey: key)) : .fetch(try decode(FetchFields.self, forKey: key))
    }
}

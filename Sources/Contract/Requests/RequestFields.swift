import FoundationEssentials
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

/// A request's body: a JSON object, or a bare value.
enum RequestBody {
    /// The value, if the body is no object; empty if the body is.
    static func bare(_ body: String) -> String? {
        let text = body.drop(while: \.isWhitespace)
        guard text.first != "{" else { return nil }
        return String(text.reversed().drop(while: \.isWhitespace).reversed())
    }

    /// Reads an object's fields; of one that has the wrong type the failure names the field.
    static func fields<Fields: Decodable>(_ body: String, as type: Fields.Type) throws(ContractError) -> Fields {
        try read(body) { bytes in try JSONDecoder().decode(type, from: Data(bytes)) }
    }

    /// Reads an object's fields, of a type that is read straight from JSON.
    static func fields<Fields: JSONReadable>(in body: String, as type: Fields.Type) throws(ContractError) -> Fields {
        try read(body) { bytes in try Fields(json: bytes) }
    }

    private static func read<Fields>(_ body: String, by decode: ([UInt8]) throws -> Fields) throws(ContractError)
        -> Fields
    {
        do {
            return try decode(Array(body.drop(while: \.isWhitespace).utf8))
        } catch let DecodingError.typeMismatch(_, context) {
            let field = context.codingPath.first?.stringValue
            throw ContractError(.badRequest, "the body's \(field ?? "value") has the wrong type", field: field)
        } catch {
            throw ContractError(.badRequest, "the body is no JSON object", field: "body")
        }
    }
}

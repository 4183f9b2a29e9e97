import FoundationEssentials
public import JSONCoding

/// The fields of a request's body, read but not yet checked.
///
/// Secret and images of an order are no fields: `request.accepted` and `request.failed` echo the fields.
public enum RequestFields: Hashable, Sendable {
    /// The fields of a request for a chart or a movie.
    case fetch(FetchFields)
    /// The fields of a request about the shop.
    case product(ProductFields)

    /// Reads a JSON object, or a bare value of the topic's required field.
    init(_ body: String, topic: RequestTopic) throws(ContractError) {
        self =
            topic.isAboutProducts
            ? .product(try ProductFields(body, topic: topic)) : .fetch(try FetchFields(body, topic: topic))
    }

    /// Reads the fields of a refused request, for its `request.failed`; a body that cannot be read has none.
    public init(of frames: RequestFrames) {
        let topic = RequestTopic(text: frames.topic)
        // The refusal beside the fields gives the reason.
        self = topic.flatMap { try? RequestFields(frames.body, topic: $0) } ?? .fetch(FetchFields())
    }
}

extension RequestFields: JSONWritable {
    /// Writes the fields.
    public func write(to json: inout JSONWriter) {
        switch self {
        case .fetch(let fields): fields.write(to: &json)
        case .product(let fields): json.appendJSON(JSON.encodeInfallibly(fields))
        }
    }
}

extension KeyedDecodingContainer {
    /// Decodes the fields of a request with the given topic.
    func decodeFields(of topic: String, forKey key: Key) throws -> RequestFields {
        RequestTopic(text: topic)?.isAboutProducts == true
            ? .product(try decode(ProductFields.self, forKey: key)) : .fetch(try decode(FetchFields.self, forKey: key))
    }
}

/// A request's body: a JSON object, or a bare value.
enum RequestBody {
    /// Returns the bare value; nil if the body is an object, empty text if the body is empty.
    static func bare(_ body: String) -> String? {
        let text = body.drop(while: \.isWhitespace)
        guard text.first != "{" else { return nil }
        return String(text.reversed().drop(while: \.isWhitespace).reversed())
    }

    /// Reads an object's fields.
    ///
    /// - Throws: A `badRequest` error, which names the field if one has the wrong type.
    static func fields<Fields: Decodable>(_ body: String, as type: Fields.Type) throws(ContractError) -> Fields {
        try read(body) { bytes in try JSONDecoder().decode(type, from: Data(bytes)) }
    }

    /// Reads an object's fields, for a type that reads JSON directly.
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
            throw ContractError(.badRequest, "the body is not a JSON object", field: "body")
        }
    }
}

import FoundationEssentials
import JSONCoding

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

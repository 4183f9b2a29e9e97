import FoundationEssentials

@testable import JSONCoding

/// A JSON text as a value that can be compared.
indirect enum ComparableJSON: Hashable, Decodable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case array([ComparableJSON])
    case object([String: ComparableJSON])

    /// Reads the value with JSONCoding.
    init(_ json: JSONValue) throws(DecodingError) {
        switch json.node.kind {
        case .null: self = .null
        case .true, .false: self = .flag(try json.flag())
        case .number: self = .number(try json.decode())
        case .string, .escapedString: self = .text(try json.text())
        case .array: self = .array(try json.elements().map(ComparableJSON.init))
        case .object:
            var object: [String: ComparableJSON] = [:]
            let children = json.children
            for index in stride(from: 0, to: children.count, by: 2) {
                let name = try json.tape.string(of: children[index].node)
                if object[name] == nil { object[name] = try ComparableJSON(children[index + 1]) }
            }
            self = .object(object)
        }
    }

    /// Reads the value with Foundation.
    init(decoding data: Data) throws {
        self = try JSONDecoder().decode(ComparableJSON.self, from: data)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let array = try? container.decode([ComparableJSON].self) {
            self = .array(array)
        } else {
            self = .object(try container.decode([String: ComparableJSON].self))
        }
    }
}

extension DecodingError {
    /// The kind of error, the coding path with indices in brackets, and the reason, for comparison in tests.
    var summary: (kind: String, path: [String], reason: String) {
        func summary(_ kind: String, _ context: Context, _ key: [any CodingKey] = []) -> (String, [String], String) {
            let path = (context.codingPath + key).map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
            return (kind, path, context.debugDescription)
        }
        return switch self {
        case .typeMismatch(_, let context): summary("mismatch", context)
        case .valueNotFound(_, let context): summary("null", context)
        case .keyNotFound(let key, let context): summary("missing", context, [key])
        case .dataCorrupted(let context): summary("unreadable", context)
        @unknown default: ("unknown", [], "")
        }
    }
}

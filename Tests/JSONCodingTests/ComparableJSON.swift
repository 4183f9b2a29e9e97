import FoundationEssentials

@testable import JSONCoding

/// A whole JSON text as a value that can be compared.
indirect enum ComparableJSON: Hashable, Decodable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case array([ComparableJSON])
    case object([String: ComparableJSON])

    /// Reads it our way.
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
            for place in stride(from: 0, to: children.count, by: 2) {
                let name = try json.tape.string(of: children[place].node)
                if object[name] == nil { object[name] = try ComparableJSON(children[place + 1]) }
            }
            self = .object(object)
        }
    }

    /// Reads it Foundation's way.
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

import Foundation

/// A JSON value, independent of the types of marquee. A missing value is null.
enum JSON: Hashable, Sendable {
    case null
    case boolean(Bool)
    case number(Double)
    case text(String)
    case list([JSON])
    case object([String: JSON])

    /// Parses a text.
    init(_ text: String) throws {
        self = try JSONDecoder().decode(JSON.self, from: Data(text.utf8))
    }

    /// A field of an object.
    subscript(name: String) -> JSON {
        if case .object(let fields) = self { fields[name] ?? nil } else { nil }
    }

    /// A value of a list.
    subscript(index: Int) -> JSON {
        list.indices.contains(index) ? list[index] : nil
    }

    /// The values, if this is a list.
    var list: [JSON] {
        if case .list(let values) = self { values } else { [] }
    }

    /// The text, if this is one.
    var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The number, if this is one.
    var number: Double? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The value as one line.
    var line: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}

extension JSON: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode([JSON].self) {
            self = .list(value)
        } else {
            self = .object(try container.decode([String: JSON].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .boolean(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .list(let values): try container.encode(values)
        case .object(let fields): try container.encode(fields)
        }
    }
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(nilLiteral: ()) { self = .null }
    init(booleanLiteral value: Bool) { self = .boolean(value) }
    init(integerLiteral value: Int) { self = .number(Double(value)) }
    init(stringLiteral value: String) { self = .text(value) }
    init(arrayLiteral values: JSON...) { self = .list(values) }
    init(dictionaryLiteral fields: (String, JSON)...) { self = .object(Dictionary(uniqueKeysWithValues: fields)) }
}

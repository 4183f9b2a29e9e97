import JSONCoding

/// A JSON value that keeps the order of its members, because the real services have a fixed order.
enum JSONTree: Sendable {
    case string(String)
    case number(Int)
    case real(Double)
    case bool(Bool)
    case array([JSONTree])
    case object([(String, JSONTree)])
}

extension JSONTree: JSONWritable {
    func write(to json: inout JSONWriter) {
        switch self {
        case .string(let text): json.appendText(text)
        case .number(let number): json.appendNumber(number)
        case .real(let number): json.appendJSON(String(number))
        case .bool(let flag): flag.write(to: &json)
        case .array(let values): values.write(to: &json)
        case .object(let members): json.appendObject(members)
        }
    }
}

extension JSONTree: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    init(stringLiteral text: String) {
        self = .string(text)
    }
}

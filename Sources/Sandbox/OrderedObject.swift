import JSONCoding

/// A JSON object that keeps the order of its members, because the real services have a fixed order.
struct OrderedObject: JSONWritable, ExpressibleByDictionaryLiteral {
    private(set) var members: [(String, any JSONWritable)]

    init(_ members: [(String, any JSONWritable)]) {
        self.members = members
    }

    init(dictionaryLiteral members: (String, any JSONWritable)...) {
        self.members = members
    }

    func write(to json: inout JSONWriter) {
        json.append(UInt8(ascii: "{"))
        for (index, (name, value)) in members.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            json.appendText(name)
            json.append(UInt8(ascii: ":"))
            value.write(to: &json)
        }
        json.append(UInt8(ascii: "}"))
    }

    mutating func append(_ other: OrderedObject) {
        members += other.members
    }
}

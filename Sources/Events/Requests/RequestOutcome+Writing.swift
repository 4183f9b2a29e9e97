public import JSONReading

// Members stand in the order of their names, as `JSONWritable` has it. What is seldom in them goes through `Encodable`.

extension RequestAccepted: JSONWritable {
    /// Writes `request` and `topic`.
    public func write(to json: inout [UInt8]) {
        json.beginMember("request", isFirst: true)
        request.write(to: &json)
        json.beginMember("topic")
        json.appendText(topic)
        json.append(UInt8(ascii: "}"))
    }
}

extension RequestDone: JSONWritable {
    /// Writes `events`, `from`, `problems` and `topic`.
    public func write(to json: inout [UInt8]) {
        json.beginMember("events", isFirst: true)
        events.write(to: &json)
        json.beginMember("from")
        json.appendText(from.rawValue)
        json.beginMember("problems")
        if problems.isEmpty { json.appendJSON("[]") } else { json += JSON.certain(problems) }
        json.beginMember("topic")
        json.appendText(topic)
        json.append(UInt8(ascii: "}"))
    }
}

extension RequestDone.Answer: JSONWritable {
    /// Writes `sequence`, `stream` and `topic`.
    public func write(to json: inout [UInt8]) {
        json.beginMember("sequence", isFirst: true)
        json.appendText(sequence.description)
        json.beginMember("stream")
        json.appendText(stream.rawValue)
        json.beginMember("topic")
        json.appendText(topic)
        json.append(UInt8(ascii: "}"))
    }
}

extension RequestFields: JSONWritable {
    /// Writes the fields of the one kind.
    public func write(to json: inout [UInt8]) {
        switch self {
        case .fetch(let fields): fields.write(to: &json)
        case .product(let fields): json += JSON.certain(fields)
        }
    }
}

extension FetchFields: JSONWritable {
    /// Writes the fields that are there.
    public func write(to json: inout [UInt8]) {
        var isFirst = true
        func begin(_ name: StaticString) {
            json.beginMember(name, isFirst: isFirst)
            isFirst = false
        }
        func write(_ name: StaticString, _ text: String?) {
            guard let text else { return }
            begin(name)
            json.appendText(text)
        }
        func write(_ name: StaticString, _ flag: Bool?) {
            guard let flag else { return }
            begin(name)
            json.appendJSON(flag ? "true" : "false")
        }
        write("area", area)
        write("code", code)
        write("date", date)
        write("films", films)
        write("id", id)
        write("nation", nation)
        write("poster", poster)
        write("priority", priority)
        write("refresh", refresh)
        write("span", span)
        json.appendJSON(isFirst ? "{}" : "}")
    }
}

extension FetchFields: JSONReadable {
    /// Reads the fields that are there; others do not matter.
    public init(json: JSONValue) throws(DecodingError) {
        func text(_ name: String) throws(DecodingError) -> String? { try json[name]?.text() }
        func flag(_ name: String) throws(DecodingError) -> Bool? { try json[name]?.flag() }
        id = try text("id")
        date = try text("date")
        span = try text("span")
        nation = try text("nation")
        films = try text("films")
        area = try text("area")
        code = try text("code")
        poster = try flag("poster")
        refresh = try flag("refresh")
        priority = try text("priority")
    }
}

public import JSONReading

// Members stand in the order of their names, as `JSONWritable` has it. What is seldom in them goes through `Encodable`.

extension RequestAccepted: JSONWritable {
    /// Writes `request` and `topic`.
    public func write(to json: inout JSONWriter) {
        json.member("request", request, isFirst: true)
        json.member("topic", topic)
        json.endObject()
    }
}

extension RequestDone: JSONWritable {
    /// Writes `events`, `from`, `problems` and `topic`.
    public func write(to json: inout JSONWriter) {
        json.member("events", events, isFirst: true)
        json.member("from", from.rawValue)
        json.beginMember("problems")
        if problems.isEmpty { json.appendJSON("[]") } else { json.appendJSON(JSON.certain(problems)) }
        json.member("topic", topic)
        json.endObject()
    }
}

extension RequestDone.Answer: JSONWritable {
    /// Writes `sequence`, `stream` and `topic`.
    public func write(to json: inout JSONWriter) {
        json.member("sequence", sequence.description, isFirst: true)
        json.member("stream", stream.rawValue)
        json.member("topic", topic)
        json.endObject()
    }
}

extension RequestFields: JSONWritable {
    /// Writes the fields of the one kind.
    public func write(to json: inout JSONWriter) {
        switch self {
        case .fetch(let fields): fields.write(to: &json)
        case .product(let fields): json.appendJSON(JSON.certain(fields))
        }
    }
}

extension FetchFields: JSONWritable {
    /// Writes the fields that are there.
    public func write(to json: inout JSONWriter) {
        var isFirst = true
        func write(_ name: StaticString, _ value: (some JSONWritable)?) {
            guard let value else { return }
            json.member(name, value, isFirst: isFirst)
            isFirst = false
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

import BoxOffice
import Events
public import JSONReading
import OpenMarket

// Members stand in the order of their names, as `JSONWritable` has it.

extension Alert: JSONWritable {
    /// Writes what synthesized encoding writes: what a film's alert may lack is null, what only others have is left out.
    public func write(to json: inout [UInt8]) {
        json.beginMember("change", isFirst: true)
        Self.write(change, to: &json)
        json.beginMember("date")
        json.appendText(date.description)
        json.beginMember("evidence")
        evidence.write(to: &json)
        if let market {
            json.beginMember("market")
            json.appendText(market.description)
        }
        json.beginMember("movieCode")
        Self.write(movieCode?.description, to: &json)
        json.beginMember("previousRank")
        Self.write(previousRank, to: &json)
        if let product {
            json.beginMember("product")
            json.appendJSON(product.description)
        }
        json.beginMember("rank")
        Self.write(rank, to: &json)
        if let retracts {
            json.beginMember("retracts")
            json.appendText(retracts)
        }
        json.beginMember("rule")
        json.appendText(rule.rawValue)
        json.beginMember("severity")
        json.appendText(severity.rawValue)
        json.beginMember("text")
        text.write(to: &json)
        json.beginMember("title")
        Self.write(title, to: &json)
        json.beginMember("values")
        json.appendObject(values)
        json.append(UInt8(ascii: "}"))
    }

    private static func write(_ number: Int?, to json: inout [UInt8]) {
        json.appendJSON(number?.description ?? "null")
    }

    private static func write(_ text: String?, to json: inout [UInt8]) {
        if let text { json.appendText(text) } else { json.appendJSON("null") }
    }
}

extension Alert.Text: JSONWritable {
    /// Writes both sentences.
    public func write(to json: inout [UInt8]) {
        json.beginMember("en", isFirst: true)
        json.appendText(en)
        json.beginMember("ko")
        json.appendText(ko)
        json.append(UInt8(ascii: "}"))
    }
}

extension Alert.Evidence: JSONWritable {
    /// Writes the event's stream and place.
    public func write(to json: inout [UInt8]) {
        json.beginMember("sequence", isFirst: true)
        json.appendText(sequence.description)
        json.beginMember("stream")
        json.appendText(stream.rawValue)
        json.append(UInt8(ascii: "}"))
    }
}

extension Figure: JSONWritable {
    /// Writes the bare value.
    public func write(to json: inout [UInt8]) {
        switch self {
        case .null: json.appendJSON("null")
        case .integer(let integer): json.appendJSON(String(integer))
        case .percent(let percent): json.appendJSON(percent.description)
        case .amount(let amount): json.appendJSON("\(amount)")
        case .text(let text): json.appendText(text)
        }
    }
}

extension [UInt8] {
    /// Appends an object with these members.
    fileprivate mutating func appendObject(_ members: [String: some JSONWritable]) {
        append(UInt8(ascii: "{"))
        for (place, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
            if place > 0 { append(UInt8(ascii: ",")) }
            appendText(member.key)
            append(UInt8(ascii: ":"))
            member.value.write(to: &self)
        }
        append(UInt8(ascii: "}"))
    }
}

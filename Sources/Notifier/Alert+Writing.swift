import BoxOffice
import Contract
public import JSONReading
import OpenMarket

// Members stand in the order of their names, as `JSONWritable` has it.

extension Alert: JSONWritable {
    /// Writes what synthesized encoding writes: what a film's alert may lack is null, what only others have is left out.
    public func write(to json: inout JSONWriter) {
        json.member("change", change, isFirst: true)
        json.member("date", date.description)
        json.member("evidence", evidence)
        if let market {
            json.member("market", market.description)
        }
        json.member("movieCode", movieCode?.description)
        json.member("previousRank", previousRank)
        if let product {
            json.member("product", product.number)
        }
        json.member("rank", rank)
        if let retracts {
            json.member("retracts", retracts)
        }
        json.member("rule", rule.rawValue)
        json.member("severity", severity.rawValue)
        json.member("text", text)
        json.member("title", title)
        json.beginMember("values")
        json.appendObject(values)
        json.endObject()
    }
}

extension Alert.Text: JSONWritable {
    /// Writes both sentences.
    public func write(to json: inout JSONWriter) {
        json.member("en", en, isFirst: true)
        json.member("ko", ko)
        json.endObject()
    }
}

extension Alert.Evidence: JSONWritable {
    /// Writes the event's stream and place.
    public func write(to json: inout JSONWriter) {
        json.member("sequence", sequence.description, isFirst: true)
        json.member("stream", stream.rawValue)
        json.endObject()
    }
}

extension TemplateValue: JSONWritable {
    /// Writes the bare value.
    public func write(to json: inout JSONWriter) {
        switch self {
        case .null: json.appendJSON("null")
        case .integer(let integer): json.appendNumber(integer)
        case .percent(let percent): percent.write(to: &json)
        case .amount(let amount): json.appendJSON("\(amount)")
        case .text(let text): json.appendText(text)
        }
    }
}

extension JSONWriter {
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

public import JSONReading

// Members stand in the order of their names, as `JSONWritable` has it.

extension Chart: JSONWritable {
    /// Writes what synthesized encoding writes: corrections only if there are any to tell of.
    public func write(to json: inout JSONWriter) {
        if let corrections {
            json.member("corrections", corrections, isFirst: true)
        }
        json.member("date", date.description, isFirst: corrections == nil)
        json.member("entries", entries)
        json.member("market", market.description)
        json.member("revision", revision)
        json.member("state", state.rawValue)
        json.endObject()
    }
}

extension ChartEntry: JSONWritable {
    /// Writes every field of the contract, empty ones as null.
    public func write(to json: inout JSONWriter) {
        json.member("audience", audience, isFirst: true)
        json.member("audienceChange", audienceChange)
        json.member("audienceDelta", audienceDelta)
        json.member("audienceTotal", audienceTotal)
        json.member("isNew", isNew)
        json.member("line", line)
        json.member("movieCode", movieCode.description)
        json.member("openDate", self[.openDate])
        json.member("rank", rank)
        json.member("rankChange", rankChange)
        json.member("sales", sales)
        json.member("salesChange", salesChange)
        json.member("salesDelta", salesDelta)
        json.member("salesShare", salesShare)
        json.member("salesTotal", salesTotal)
        json.member("screens", screens)
        json.member("showings", showings)
        json.member("title", title)
        json.endObject()
    }
}

extension Percent: JSONWritable {
    /// Writes the percentage with its decimal, if it has one.
    public func write(to json: inout JSONWriter) {
        let (whole, tenth) = tenths.quotientAndRemainder(dividingBy: 10)
        if tenths < 0, whole == 0 { json.append(UInt8(ascii: "-")) }
        json.appendNumber(whole)
        guard tenth != 0 else { return }
        json.append(UInt8(ascii: "."))
        json.appendNumber(abs(tenth))
    }
}

extension ChartEntry.Value: JSONWritable {
    /// Writes the bare value.
    public func write(to json: inout JSONWriter) {
        switch self {
        case .null: json.appendJSON("null")
        case .flag(let flag): flag.write(to: &json)
        case .integer(let integer): json.appendNumber(integer)
        case .percent(let percent): percent.write(to: &json)
        case .text(let text): json.appendText(text)
        }
    }
}

extension Correction: JSONWritable {
    /// Writes `movieCode`, `field`, `before` and `after`.
    public func write(to json: inout JSONWriter) {
        func write(before: (some JSONWritable)?, after: (some JSONWritable)?, of field: String) {
            json.member("after", after, isFirst: true)
            json.member("before", before)
            json.member("field", field)
        }
        switch change {
        case .field(let field, let before, let after): write(before: before, after: after, of: field.rawValue)
        case .entry(let before, let after): write(before: before, after: after, of: Self.wholeEntry)
        }
        json.member("movieCode", movieCode.description)
        json.endObject()
    }
}

public import JSONReading

// Members stand in the order of their names, as `JSONWritable` has it.

extension Chart: JSONWritable {
    /// Writes what synthesized encoding writes: corrections only if there are any to tell of.
    public func write(to json: inout [UInt8]) {
        if let corrections {
            json.beginMember("corrections", isFirst: true)
            corrections.write(to: &json)
        }
        json.beginMember("date", isFirst: corrections == nil)
        json.appendText(date.description)
        json.beginMember("entries")
        entries.write(to: &json)
        json.beginMember("market")
        json.appendText(market.description)
        json.beginMember("revision")
        json.appendNumber(revision)
        json.beginMember("state")
        json.appendText(state.rawValue)
        json.append(UInt8(ascii: "}"))
    }
}

extension ChartEntry: JSONWritable {
    /// Writes every field of the contract, empty ones as null.
    public func write(to json: inout [UInt8]) {
        json.beginMember("audience", isFirst: true)
        Self.write(audience, to: &json)
        json.beginMember("audienceChange")
        Self.write(audienceChange, to: &json)
        json.beginMember("audienceDelta")
        Self.write(audienceDelta, to: &json)
        json.beginMember("audienceTotal")
        Self.write(audienceTotal, to: &json)
        json.beginMember("isNew")
        Value.flag(isNew).write(to: &json)
        json.beginMember("line")
        json.appendNumber(line)
        json.beginMember("movieCode")
        json.appendText(movieCode.description)
        json.beginMember("openDate")
        self[.openDate].write(to: &json)
        json.beginMember("rank")
        Self.write(rank, to: &json)
        json.beginMember("rankChange")
        Self.write(rankChange, to: &json)
        json.beginMember("sales")
        Self.write(sales, to: &json)
        json.beginMember("salesChange")
        Self.write(salesChange, to: &json)
        json.beginMember("salesDelta")
        Self.write(salesDelta, to: &json)
        json.beginMember("salesShare")
        Self.write(salesShare, to: &json)
        json.beginMember("salesTotal")
        Self.write(salesTotal, to: &json)
        json.beginMember("screens")
        Self.write(screens, to: &json)
        json.beginMember("showings")
        Self.write(showings, to: &json)
        json.beginMember("title")
        json.appendText(title)
        json.append(UInt8(ascii: "}"))
    }

    private static func write(_ figure: Int?, to json: inout [UInt8]) {
        if let figure { json.appendNumber(figure) } else { json.appendJSON("null") }
    }

    private static func write(_ figure: Percent?, to json: inout [UInt8]) {
        if let figure { figure.write(to: &json) } else { json.appendJSON("null") }
    }
}

extension Percent: JSONWritable {
    /// Writes the percentage with its decimal, if it has one.
    public func write(to json: inout [UInt8]) {
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
    public func write(to json: inout [UInt8]) {
        switch self {
        case .null: json.appendJSON("null")
        case .flag(let flag): json.appendJSON(flag ? "true" : "false")
        case .integer(let integer): json.appendNumber(integer)
        case .percent(let percent): percent.write(to: &json)
        case .text(let text): json.appendText(text)
        }
    }
}

extension Correction: JSONWritable {
    /// Writes `movieCode`, `field`, `before` and `after`.
    public func write(to json: inout [UInt8]) {
        func write(before: (some JSONWritable)?, after: (some JSONWritable)?, of field: String) {
            json.beginMember("after", isFirst: true)
            if let after { after.write(to: &json) } else { json.appendJSON("null") }
            json.beginMember("before")
            if let before { before.write(to: &json) } else { json.appendJSON("null") }
            json.beginMember("field")
            json.appendText(field)
        }
        switch change {
        case .field(let field, let before, let after): write(before: before, after: after, of: field.rawValue)
        case .entry(let before, let after): write(before: before, after: after, of: Self.wholeEntry)
        }
        json.beginMember("movieCode")
        json.appendText(movieCode.description)
        json.append(UInt8(ascii: "}"))
    }
}

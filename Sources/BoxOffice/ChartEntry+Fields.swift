public import JSONReading

extension ChartEntry {
    /// The names of a line's fields on the wire, in the contract's order.
    public enum Field: String, CodingKey, CaseIterable, Sendable {
        case line
        case rank
        case rankChange
        case isNew
        case movieCode
        case title
        case openDate
        case sales
        case salesShare
        case salesDelta
        case salesChange
        case salesTotal
        case audience
        case audienceDelta
        case audienceChange
        case audienceTotal
        case screens
        case showings
    }

    /// What a field holds; what the source leaves empty is `null`.
    public enum Value: Hashable, Sendable {
        case null
        case flag(Bool)
        case integer(Int)
        case percent(Percent)
        case text(String)
    }

    /// What stands in `field`.
    public subscript(field: Field) -> Value {
        switch field {
        case .line: .integer(line)
        case .rank: rank.map(Value.integer) ?? .null
        case .rankChange: rankChange.map(Value.integer) ?? .null
        case .isNew: .flag(isNew)
        case .movieCode: .text(movieCode.description)
        case .title: .text(title)
        case .openDate: openDate.map { .text($0.description) } ?? .null
        case .sales: sales.map(Value.integer) ?? .null
        case .salesShare: salesShare.map(Value.percent) ?? .null
        case .salesDelta: salesDelta.map(Value.integer) ?? .null
        case .salesChange: salesChange.map(Value.percent) ?? .null
        case .salesTotal: salesTotal.map(Value.integer) ?? .null
        case .audience: audience.map(Value.integer) ?? .null
        case .audienceDelta: audienceDelta.map(Value.integer) ?? .null
        case .audienceChange: audienceChange.map(Value.percent) ?? .null
        case .audienceTotal: audienceTotal.map(Value.integer) ?? .null
        case .screens: screens.map(Value.integer) ?? .null
        case .showings: showings.map(Value.integer) ?? .null
        }
    }
}

extension ChartEntry.Field {
    /// Reads a value of this field; only the field tells the percentage 98 from the count 98.
    func value(_ json: JSONValue?) throws(DecodingError) -> ChartEntry.Value {
        guard let json else { return .null }
        return switch self {
        case .isNew: .flag(try json.flag())
        case .movieCode, .title, .openDate: .text(try json.text())
        case .salesShare, .salesChange, .audienceChange: .percent(try json.percent())
        case .line, .rank, .rankChange, .sales, .salesDelta, .salesTotal, .audience, .audienceDelta, .audienceTotal,
            .screens, .showings:
            .integer(try json.integer())
        }
    }
}

extension ChartEntry.Value: Encodable {
    /// Writes the bare value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .flag(let flag): try container.encode(flag)
        case .integer(let integer): try container.encode(integer)
        case .percent(let percent): try container.encode(percent)
        case .text(let text): try container.encode(text)
        }
    }
}

extension ChartEntry: JSONReadable {
    /// Reads a line as the contract has it.
    public init(json: JSONValue) throws(DecodingError) {
        func field(_ field: Field) throws(DecodingError) -> JSONValue { try json.value(field.rawValue) }
        func integer(_ field: Field) throws(DecodingError) -> Int? { try json[field.rawValue]?.integer() }
        func percent(_ field: Field) throws(DecodingError) -> Percent? { try json[field.rawValue]?.percent() }
        line = try field(.line).integer()
        rank = try integer(.rank)
        rankChange = try integer(.rankChange)
        isNew = try field(.isNew).flag()
        movieCode = try field(.movieCode).text()
        title = try field(.title).text()
        openDate = try json[Field.openDate.rawValue]?.text()
        sales = try integer(.sales)
        salesShare = try percent(.salesShare)
        salesDelta = try integer(.salesDelta)
        salesChange = try percent(.salesChange)
        salesTotal = try integer(.salesTotal)
        audience = try integer(.audience)
        audienceDelta = try integer(.audienceDelta)
        audienceChange = try percent(.audienceChange)
        audienceTotal = try integer(.audienceTotal)
        screens = try integer(.screens)
        showings = try integer(.showings)
    }
}

extension ChartEntry: Encodable {
    /// Writes every field of the contract, empty ones as null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Field.self)
        for field in Field.allCases {
            try container.encode(self[field], forKey: field)
        }
    }
}

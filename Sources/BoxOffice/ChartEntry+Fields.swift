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
    func value<Key>(
        in container: KeyedDecodingContainer<Key>, forKey key: Key
    ) throws -> ChartEntry.Value {
        switch self {
        case .isNew:
            try container.decodeIfPresent(Bool.self, forKey: key).map(ChartEntry.Value.flag) ?? .null
        case .movieCode, .title, .openDate:
            try container.decodeIfPresent(String.self, forKey: key).map(ChartEntry.Value.text) ?? .null
        case .salesShare, .salesChange, .audienceChange:
            try container.decodeIfPresent(Percent.self, forKey: key).map(ChartEntry.Value.percent) ?? .null
        case .line, .rank, .rankChange, .sales, .salesDelta, .salesTotal, .audience, .audienceDelta, .audienceTotal,
            .screens, .showings:
            try container.decodeIfPresent(Int.self, forKey: key).map(ChartEntry.Value.integer) ?? .null
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

extension ChartEntry: Codable {
    /// Reads a line as the contract has it.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Field.self)
        line = try fields.decode(Int.self, forKey: .line)
        rank = try fields.decodeIfPresent(Int.self, forKey: .rank)
        rankChange = try fields.decodeIfPresent(Int.self, forKey: .rankChange)
        isNew = try fields.decode(Bool.self, forKey: .isNew)
        movieCode = try fields.decode(MovieCode.self, forKey: .movieCode)
        title = try fields.decode(String.self, forKey: .title)
        openDate = try fields.decodeIfPresent(KoreanDate.self, forKey: .openDate)
        sales = try fields.decodeIfPresent(Int.self, forKey: .sales)
        salesShare = try fields.decodeIfPresent(Percent.self, forKey: .salesShare)
        salesDelta = try fields.decodeIfPresent(Int.self, forKey: .salesDelta)
        salesChange = try fields.decodeIfPresent(Percent.self, forKey: .salesChange)
        salesTotal = try fields.decodeIfPresent(Int.self, forKey: .salesTotal)
        audience = try fields.decodeIfPresent(Int.self, forKey: .audience)
        audienceDelta = try fields.decodeIfPresent(Int.self, forKey: .audienceDelta)
        audienceChange = try fields.decodeIfPresent(Percent.self, forKey: .audienceChange)
        audienceTotal = try fields.decodeIfPresent(Int.self, forKey: .audienceTotal)
        screens = try fields.decodeIfPresent(Int.self, forKey: .screens)
        showings = try fields.decodeIfPresent(Int.self, forKey: .showings)
    }

    /// Writes every field of the contract, empty ones as null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Field.self)
        for field in Field.allCases {
            try container.encode(self[field], forKey: field)
        }
    }
}

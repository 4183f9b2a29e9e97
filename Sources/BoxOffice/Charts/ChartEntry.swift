public import JSONCoding

/// One entry of a chart: a movie and its figures, exactly as the source has them.
///
/// Money is in won, changes are against the day (or week) before. A value that the source leaves empty is nil.
public struct ChartEntry: Hashable, Sendable {
    /// The entry's number in the chart, from 1. It is unique, while ranks may be tied.
    public var line: Int
    /// The rank by audience.
    public var rank: Int?
    /// The number of ranks the movie rose, negative if it fell; 0 for a new one.
    public var rankChange: Int?
    /// Whether the source marks the movie as new in the ranking; it may be a re-release.
    public var isNew: Bool
    /// The movie's code.
    public var movieCode: MovieCode
    /// The movie's Korean title, without surrounding blanks.
    public var title: String
    /// The opening day; it lies after the chart's day for previews.
    public var openDate: KoreanDate?
    /// Sales in won, their change, and all since the opening.
    public var sales, salesDelta, salesTotal: Int?
    /// The share of the market's sales, and the change of sales, in percent.
    public var salesShare, salesChange: Percent?
    /// Tickets sold, their change, and all since the opening.
    public var audience, audienceDelta, audienceTotal: Int?
    /// The change of the audience in percent.
    public var audienceChange: Percent?
    /// The numbers of screens and showings.
    public var screens, showings: Int?

    /// Makes an entry whose figures are unknown.
    public init(line: Int, rank: Int?, rankChange: Int?, isNew: Bool, movieCode: MovieCode, title: String) {
        self.line = line
        self.rank = rank
        self.rankChange = rankChange
        self.isNew = isNew
        self.movieCode = movieCode
        self.title = title
    }

    /// The change of rank as charts print it.
    public var movement: RankMovement {
        if isNew { return .new }
        guard let rankChange, rankChange != 0 else { return .unchanged }
        return rankChange > 0 ? .rose(rankChange) : .fell(-rankChange)
    }
}

// MARK: - Fields

extension ChartEntry {
    /// The names of an entry's fields on the wire, in the contract's order.
    public enum Field: String, CaseIterable, Sendable {
        case line, rank, rankChange, isNew, movieCode, title, openDate
        case sales, salesShare, salesDelta, salesChange, salesTotal
        case audience, audienceDelta, audienceChange, audienceTotal, screens, showings

        /// The fields in the order of their names, as JSON has them.
        static let byName = allCases.sorted { $0.rawValue < $1.rawValue }

        /// The numbers that a figure in this field can be: far more than any real one, so that sums of figures fit. Only
        /// changes can be negative.
        public var range: ClosedRange<Int> {
            switch self {
            case .line, .rank: 1...10_000
            case .sales, .salesTotal: 0...1_000_000_000_000_000
            case .salesDelta: -1_000_000_000_000_000...1_000_000_000_000_000
            case .audience, .audienceTotal: 0...1_000_000_000
            case .audienceDelta: -1_000_000_000...1_000_000_000
            case .screens, .showings: 0...1_000_000
            default: -10_000...10_000
            }
        }
    }

    /// The value of a field; `null` if the source leaves it empty.
    public enum Value: Hashable, Sendable {
        case null
        case flag(Bool)
        case integer(Int)
        case percent(Percent)
        case text(String)

        fileprivate init(_ integer: Int?) {
            self = integer.map(Value.integer) ?? .null
        }

        fileprivate init(_ percent: Percent?) {
            self = percent.map(Value.percent) ?? .null
        }
    }

    /// The value of a field.
    public subscript(field: Field) -> Value {
        switch field {
        case .line: .integer(line)
        case .rank: Value(rank)
        case .rankChange: Value(rankChange)
        case .isNew: .flag(isNew)
        case .movieCode: .text(movieCode.description)
        case .title: .text(title)
        case .openDate: openDate.map { .text($0.description) } ?? .null
        case .sales: Value(sales)
        case .salesShare: Value(salesShare)
        case .salesDelta: Value(salesDelta)
        case .salesChange: Value(salesChange)
        case .salesTotal: Value(salesTotal)
        case .audience: Value(audience)
        case .audienceDelta: Value(audienceDelta)
        case .audienceChange: Value(audienceChange)
        case .audienceTotal: Value(audienceTotal)
        case .screens: Value(screens)
        case .showings: Value(showings)
        }
    }
}

// MARK: - JSON

extension ChartEntry: JSONReadable, JSONWritable {
    /// Reads an entry as the contract has it.
    public init(json: JSONValue) throws(DecodingError) {
        func field(_ field: Field) throws(DecodingError) -> JSONValue { try json.value(field.rawValue) }
        func figure(_ field: Field) throws(DecodingError) -> Int? { try field.figure(json[field.rawValue]) }
        func percent(_ field: Field) throws(DecodingError) -> Percent? { try json[field.rawValue]?.percent() }
        line = try field(.line).integer()
        rank = try figure(.rank)
        rankChange = try figure(.rankChange)
        isNew = try field(.isNew).flag()
        movieCode = try field(.movieCode).text()
        title = try field(.title).text()
        openDate = try json[Field.openDate.rawValue]?.text()
        sales = try figure(.sales)
        salesShare = try percent(.salesShare)
        salesDelta = try figure(.salesDelta)
        salesChange = try percent(.salesChange)
        salesTotal = try figure(.salesTotal)
        audience = try figure(.audience)
        audienceDelta = try figure(.audienceDelta)
        audienceChange = try percent(.audienceChange)
        audienceTotal = try figure(.audienceTotal)
        screens = try figure(.screens)
        showings = try figure(.showings)
    }

    /// Writes every field of the contract, empty ones as null.
    public func write(to json: inout JSONWriter) {
        for (index, field) in Field.byName.enumerated() {
            json.member(field.rawValue, self[field], isFirst: index == 0)
        }
        json.endObject()
    }
}

extension ChartEntry.Field {
    /// Reads a figure of this field; nil if it is empty, or outside the field's range, where sums could overflow.
    public func figure(_ json: JSONValue?) throws(DecodingError) -> Int? {
        guard let figure = try json?.integer(), range.contains(figure) else { return nil }
        return figure
    }

    /// Reads a value of this field, which decides whether 98 is a percentage or a count.
    func value(_ json: JSONValue?) throws(DecodingError) -> ChartEntry.Value {
        guard let json else { return .null }
        return switch self {
        case .isNew: .flag(try json.flag())
        case .movieCode, .title, .openDate: .text(try json.text())
        case .salesShare, .salesChange, .audienceChange: .percent(try json.percent())
        default: ChartEntry.Value(try figure(json))
        }
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

/// The change of a movie's rank since the previous chart.
public enum RankMovement: Hashable, Sendable, CustomStringConvertible {
    /// The movie is new in the ranking.
    case new
    /// The movie rose by this number of ranks.
    case rose(Int)
    /// The movie fell by this number of ranks.
    case fell(Int)
    /// The movie kept its rank.
    case unchanged

    /// The movement as Korean charts print it: `NEW`, `▲3`, `▼1` or `-`.
    public var description: String {
        switch self {
        case .new: "NEW"
        case .rose(let ranks): "▲\(ranks)"
        case .fell(let ranks): "▼\(ranks)"
        case .unchanged: "-"
        }
    }
}

public import BoxOffice
public import FoundationEssentials
public import JSONCoding

/// A value that a rule adds to its alert.
///
/// JSON does not keep the kind of a number: the percentage 98 is read back as the integer 98.
public enum TemplateValue: Hashable, Sendable {
    /// An unknown value.
    case null
    /// A count, or an amount in won.
    case integer(Int)
    /// A percentage.
    case percent(Percent)
    /// An amount of money in the alert's `currency`.
    case amount(Decimal)
    /// A title, a code or a day.
    case text(String)

    /// Makes a value of a field of a chart's line.
    init(_ value: ChartEntry.Value) {
        self =
            switch value {
            case .null: .null
            case .flag(let flag): .text("\(flag)")
            case .integer(let integer): .integer(integer)
            case .percent(let percent): .percent(percent)
            case .text(let text): .text(text)
            }
    }
}

extension TemplateValue {
    /// Whether it is a number above 0.
    var isPositive: Bool {
        switch self {
        case .integer(let integer): integer > 0
        case .percent(let percent): percent.tenths > 0
        case .amount(let amount): amount > 0
        case .null, .text: false
        }
    }
}

extension TemplateValue: Decodable {
    /// Reads a bare value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let text = try? container.decode(String.self) {  // else it is a number
            self = .text(text)
        } else if let integer = try? container.decode(Int.self) {  // else it has a decimal
            self = .integer(integer)
        } else if let percent = try? container.decode(Percent.self) {  // else it has several decimals
            self = .percent(percent)
        } else {
            self = .amount(try container.decode(Decimal.self))
        }
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

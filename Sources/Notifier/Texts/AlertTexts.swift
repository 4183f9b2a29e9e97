import BoxOffice
import Contract
import OpenMarket

/// What a rule is called, and how it speaks.
protocol AlertTextSource: Sendable {
    /// Its word on the wire.
    static var word: AlertRule { get }
    /// The names of the figures that all rules of its sort have, for texts.
    static var common: [String] { get }
    /// The names of its own figures.
    static var figures: [String] { get }
    /// Its sentence in Korean.
    static var ko: String { get }
    /// Its sentence in English.
    static var en: String { get }
}

/// A rule's sentences.
struct AlertTexts: Hashable, Sendable {
    /// In Korean.
    var ko: Template
    /// In English.
    var en: Template

    /// A rule's own.
    init(of rule: any AlertTextSource.Type) {
        let names = Self.names(for: rule)
        ko = Template(standard: rule.ko, in: .ko, names: names)
        en = Template(standard: rule.en, in: .en, names: names)
    }

    /// What a rule's templates may name.
    static func names(for rule: any AlertTextSource.Type) -> [String] { rule.common + rule.figures }

    /// What every alert about a film has, and what its line has.
    static let movieNames = common + lines.filter { !common.contains($0) }

    private static let common = [
        "title", "rank", "previousRank", "change", "ranks", "movement", "date", "market", "movieCode",
    ]
    private static let lines = ChartEntry.Field.allCases.map(\.rawValue).filter {
        !["line", "isNew", "rankChange"].contains($0)
    }

    /// An alert in words, about a film's line if there is one.
    func text(of alert: Alert, about entry: ChartEntry?) -> Alert.Text {
        func figure(_ name: String, _ language: Language) -> TemplateValue {
            if let own = alert.values[name] {
                if case .amount(let amount) = own, case .text(let word) = alert.values["currency"],
                    let currency = Currency(rawValue: word)
                {
                    return .text(Price(amount, currency).text(in: language))
                }
                return own
            }
            switch name {
            case "title": return alert.title.map(TemplateValue.text) ?? .null
            case "rank": return alert.rank.map(TemplateValue.integer) ?? .null
            case "previousRank": return alert.previousRank.map(TemplateValue.integer) ?? .null
            case "change": return alert.change.map(TemplateValue.integer) ?? .null
            case "ranks": return alert.change.map { .integer(Int(clamping: $0.magnitude)) } ?? .null
            case "movement":
                guard let movement = entry?.movement, movement != .unchanged else { return .null }
                return .text("\(movement)")
            case "date": return .text(alert.date.description)
            case "market": return .text((alert.market ?? .all).description)
            case "product": return alert.product.map { .text("\($0)") } ?? .null
            case "movieCode": return alert.movieCode.map { .text($0.description) } ?? .null
            default: return ChartEntry.Field(rawValue: name).flatMap { entry?[$0] }.map { TemplateValue($0) } ?? .null
            }
        }
        return Alert.Text(ko: ko.text { figure($0, .ko) }, en: en.text { figure($0, .en) })
    }
}

extension Price {
    /// The price as it is written in a language: `1,690,000원`, `USD 999.99`.
    fileprivate func text(in language: Language) -> String {
        guard language == .ko else { return description }
        let digits = description.dropFirst(currency.rawValue.count + 1)
        return digits + (currency == .won ? "원" : "달러")
    }
}

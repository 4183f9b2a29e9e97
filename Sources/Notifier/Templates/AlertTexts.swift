import BoxOffice
import OpenMarket
import Text

/// The texts of a rule's alerts, in each language.
struct AlertTexts: Hashable, Sendable {
    var ko: Template
    var en: Template

    init(of rule: any Rule.Type) {
        ko = Template(standard: rule.ko, in: .ko, names: rule.valueNames)
        en = Template(standard: rule.en, in: .en, names: rule.valueNames)
    }

    /// The names of the values that every alert about a movie has, and of the fields of its line.
    static let movieValues = common + lines.filter { !common.contains($0) }

    private static let common = [
        "title", "rank", "previousRank", "change", "ranks", "movement", "date", "market", "movieCode",
    ]
    private static let lines = ChartEntry.Field.allCases.map(\.rawValue).filter {
        !["line", "isNew", "rankChange"].contains($0)
    }

    /// Returns the texts of an alert; `entry` is the movie's line, if it is about a movie.
    ///
    /// - Parameter titles: titles that take the place of the values of these names.
    func text(of alert: Alert, about entry: ChartEntry?, titles: [String: String] = [:]) -> Alert.Text {
        func value(_ name: String, _ language: Language) -> TemplateValue {
            if let title = titles[name] { return .text(title) }
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
                guard let movement = entry?.movement, ![.new, .unchanged].contains(movement) else { return .null }
                return .text("\(movement)")
            case "date": return .text(alert.date.description)
            case "market": return .text((alert.market ?? .all).description)
            case "product": return alert.product.map { .text("\($0)") } ?? .null
            case "movieCode": return alert.movieCode.map { .text($0.description) } ?? .null
            default: return ChartEntry.Field(rawValue: name).flatMap { entry?[$0] }.map { TemplateValue($0) } ?? .null
            }
        }
        return Alert.Text(ko: ko.text { value($0, .ko) }, en: en.text { value($0, .en) })
    }
}

extension Price {
    /// Returns the price as a language writes it: `1,690,000원`, `USD 999.99`.
    fileprivate func text(in language: Language) -> String {
        guard language == .ko else { return description }
        let digits = description.dropFirst(currency.rawValue.count + 1)
        return digits + (currency == .won ? "원" : "달러")
    }
}

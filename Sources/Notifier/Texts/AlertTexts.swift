import BoxOffice
import Events

/// A rule's sentences.
struct AlertTexts: Hashable, Sendable {
    /// In Korean.
    var ko: Template
    /// In English.
    var en: Template

    /// A rule's own.
    init(of rule: any Rule.Type) {
        let names = Self.names(for: rule)
        ko = Template(standard: rule.ko, in: .ko, names: names)
        en = Template(standard: rule.en, in: .en, names: names)
    }

    /// What a rule's templates may name: what every alert has, its film's line, and the rule's own figures.
    static func names(for rule: any Rule.Type) -> [String] {
        common + lines.filter { !common.contains($0) } + rule.figures
    }

    private static let common = [
        "title", "rank", "previousRank", "change", "ranks", "movement", "date", "market", "movieCode",
    ]
    private static let lines = ChartEntry.Field.allCases.map(\.rawValue).filter {
        !["line", "isNew", "rankChange"].contains($0)
    }

    /// An alert in words, about a film's line if there is one.
    func text(of alert: Alert, about entry: ChartEntry?) -> Alert.Text {
        func figure(_ name: String) -> Figure {
            if let own = alert.values[name] { return own }
            switch name {
            case "title": return alert.title.map(Figure.text) ?? .null
            case "rank": return alert.rank.map(Figure.integer) ?? .null
            case "previousRank": return alert.previousRank.map(Figure.integer) ?? .null
            case "change": return alert.change.map(Figure.integer) ?? .null
            case "ranks": return alert.change.map { .integer(Int(clamping: $0.magnitude)) } ?? .null
            case "movement":
                guard let movement = entry?.movement, movement != .unchanged else { return .null }
                return .text("\(movement)")
            case "date": return .text(alert.date.description)
            case "market": return .text((alert.market ?? .all).description)
            case "movieCode": return alert.movieCode.map { .text($0.description) } ?? .null
            default: return ChartEntry.Field(rawValue: name).flatMap { entry?[$0] }.map { Figure($0) } ?? .null
            }
        }
        return Alert.Text(ko: ko.text(figure), en: en.text(figure))
    }
}

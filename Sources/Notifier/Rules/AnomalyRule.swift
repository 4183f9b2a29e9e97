import BoxOffice
import Contract
import EventStore

/// A chart is late, missing or hard to believe. About no film's day: it fires by the worker's word alone.
struct AnomalyRule: Rule {
    static let word = AlertRule.anomaly
    static let figures = ["kind", "span", "period", "expected", "found", "reason", "sentence"]
    static let ko = "{date}[ {period}] 집계 이상: {reason}[ (〈{title}〉)]"
    static let en = "{date}: {sentence}"

    func firing(for movie: ChartAppearance) -> RuleMatch? { nil }

    /// An anomaly's figures.
    static func values(of anomaly: Anomaly) -> [String: TemplateValue] {
        var values: [String: TemplateValue] = [
            "kind": .text(anomaly.kind.rawValue), "expected": anomaly.expected.map(TemplateValue.integer) ?? .null,
            "found": .integer(anomaly.found), "reason": .text(reason(anomaly.kind)), "sentence": .text(anomaly.text),
        ]
        if let span = anomaly.span {
            values["span"] = .text(span.rawValue)
            values["period"] = .text(period(span))
        }
        return values
    }

    private static func period(_ span: Week.Span) -> String {
        switch span {
        case .week: "주간"
        case .weekend: "주말"
        case .weekdays: "주중"
        }
    }

    private static func reason(_ kind: Anomaly.Kind) -> String {
        switch kind {
        case .late: "아직 발표되지 않음"
        case .missing: "순위가 없거나 줄어듦"
        case .shrunk: "누적 관객이 줄어듦"
        case .repeated: "같은 값이 되풀이됨"
        }
    }
}

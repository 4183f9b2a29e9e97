public import BoxOffice
import Contract
import Text

/// A correction changed the movie's audience of the day by much. Fires for older days too, once, and is never retracted.
struct CorrectionRule: MovieRule {
    static let name: AlertRule = "correction"
    static let heading = RuleHeading("관객수 정정", "Correction", glyph: "✎")
    static let occasion = RuleOccasion.correction
    static let settings = [RuleSetting("percent", \Self.percent), RuleSetting("from", \Self.from)]
    static let ownValues = ["before", "percent"]
    static let ko = "〈{title}〉 {date} 관객수 정정: {before}명→{audience}명[({percent:+}%)]"
    static let en = "{title}: admissions of {date} corrected from {before} to {audience}[ ({percent:+} %)]"

    var percent = 5
    /// The least change, in admissions.
    var from = 1_000

    func match(for input: RuleInput) -> RuleMatch? {
        guard let after = input.entry.audience, let before = input.day.audienceBefore(of: input.entry),
            case let (difference, isAbsurd) = after.subtractingReportingOverflow(before), !isAbsurd,
            difference.magnitude >= from, before > 0,
            case let (thousandfold, isTooMuch) = difference.multipliedReportingOverflow(by: 1_000), !isTooMuch,
            (thousandfold / before).magnitude >= percent * 10
        else { return nil }
        var values = input.values(.audience, .audienceTotal)
        values["before"] = .integer(before)
        values["percent"] = .percent(Percent(tenths: thousandfold / before))
        return RuleMatch(values: values)
    }

    func holds(_ alert: Alert, for input: RuleInput) -> Bool { true }

    func severity(of match: RuleMatch, rank: Int?) -> Alert.Severity {
        guard case .percent(let percent) = match.values["percent"] else { return .info }
        return percent.tenths.magnitude >= 200 ? .notable : .info
    }

    func sample(of chart: Chart) -> RuleSample {
        let audience = chart.first.sampleAudience
        let before = max(1, audience - audience * percent / 100)
        let change = Percent(tenths: (audience - before) * 1_000 / before)
        return RuleSample(of: chart.first, ["before": .integer(before), "percent": .percent(change)])
    }
}

extension SourcedChart {
    /// Returns the audience of a movie's line in the previous revision, if this one corrects it.
    fileprivate func audienceBefore(of entry: ChartEntry) -> Int? {
        for correction in chart.corrections ?? []
        where correction.movieCode == entry.movieCode && correction.line ?? entry.line == entry.line {
            if case .field(.audience, before: .integer(let before), after: _) = correction.change { return before }
        }
        return nil
    }
}

/// A chart is late, missing or implausible. Fires for the worker's anomaly events, never for a movie's day.
struct AnomalyRule: MovieRule {
    static let name: AlertRule = "anomaly"
    static let heading = RuleHeading("데이터 이상", "Problem in the data", glyph: "!")
    static let occasion = RuleOccasion.anomaly
    static let ownValues = ["kind", "span", "period", "expected", "found", "reason", "sentence"]
    static let ko = "{date}[ {period}] 박스오피스 데이터 이상: {reason}[(〈{title}〉)]"
    static let en = "{date}: {sentence}"

    func match(for input: RuleInput) -> RuleMatch? { nil }

    func severity(of match: RuleMatch, rank: Int?) -> Alert.Severity { .notable }

    static func values(of anomaly: Anomaly) -> [String: TemplateValue] {
        var values: [String: TemplateValue] = [
            "kind": .text(anomaly.kind.rawValue), "expected": anomaly.expected.map(TemplateValue.integer) ?? .null,
            "found": .integer(anomaly.found), "reason": .text(anomaly.reason), "sentence": .text(anomaly.text),
        ]
        if let span = anomaly.span {
            values["span"] = .text(span.rawValue)
            values["period"] = .text(span.name(in: .ko))
        }
        return values
    }

    func sample(of chart: Chart) -> RuleSample {
        var earlier = chart
        earlier.entries.append(chart.last)
        let missing = chart.anomalies(after: earlier, dayBefore: nil)[0]
        return RuleSample(match: RuleMatch(values: Self.values(of: missing)))
    }
}

extension Anomaly {
    /// What is wrong, in Korean, with the figures that show it.
    public var reason: String {
        switch (kind, expected) {
        case (.late, _): "집계 지연"
        case (.missing, let expected?) where found > 0: "일부 누락 \(expected.grouped)편→\(found.grouped)편"
        case (.missing, _): "전체 누락"
        case (.shrunk, let expected?): "누적관객수 감소 \(expected.grouped)명→\(found.grouped)명"
        case (.shrunk, nil): "누적관객수 감소"
        case (.repeated, _): "동일 수치 반복"
        case (.unreadable, _): "읽을 수 없는 값 \(found)개(\(field ?? ""))"
        }
    }
}

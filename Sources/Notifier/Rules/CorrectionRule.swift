import BoxOffice
import Contract
import EventStore

/// The film's admissions of the day were corrected by much.
///
/// The only rule that is about what was known rather than about the day: it fires for older days, too, once for each,
/// and is never taken back.
struct CorrectionRule: Rule {
    static let word = AlertRule.correction
    static let figures = ["before", "percent"]
    static let ko = "〈{title}〉 {date} 관객 정정: {before}명→{audience}명[ ({percent}%)]"
    static let en = "{title}: admissions of {date} corrected from {before} to {audience}[ ({percent} %)]"

    /// By how many percent, at least.
    var percent = 5
    /// By how many admissions, at least.
    var from = 1_000

    func firing(for movie: ChartAppearance) -> RuleMatch? {
        guard let after = movie.entry.audience, let before = movie.day.audienceBefore(of: movie.entry.movieCode),
            case let (difference, isAbsurd) = after.subtractingReportingOverflow(before), !isAbsurd,
            difference.magnitude >= from, before > 0,
            case let (thousandfold, isTooMuch) = difference.multipliedReportingOverflow(by: 1_000), !isTooMuch,
            (thousandfold / before).magnitude >= percent * 10
        else { return nil }
        var values = movie.figures(.audience, .audienceTotal)
        values["before"] = .integer(before)
        values["percent"] = .percent(Percent(tenths: thousandfold / before))
        return RuleMatch(values: values)
    }

    func holds(_ alert: Alert, for movie: ChartAppearance) -> Bool { true }
}

extension SourcedChart {
    /// What the revision before said of a film's admissions, if this one corrects it.
    fileprivate func audienceBefore(of code: MovieCode) -> Int? {
        for correction in chart.corrections ?? [] where correction.movieCode == code {
            if case .field(.audience, before: .integer(let before), after: _) = correction.change { return before }
        }
        return nil
    }
}

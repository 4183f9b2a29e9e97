import BoxOffice
import Contract

/// The movie's total audience has passed one of these numbers; the highest, if a day passes several. Either the day's own
/// audience carried it over, or all days since its last chart are known; otherwise an unknown day may have been the first.
/// The source's totals are incomplete before 2011, so movies that opened earlier and charts of that time fire nothing.
struct MilestoneRule: MovieRule {
    static let name: AlertRule = "milestone"
    static let heading = RuleHeading("누적 관객 돌파", "Milestone", glyph: "⚑")
    static let settings = [RuleSetting("totals", \Self.totals)]
    static let ownValues = ["milestone"]
    static let ko = "〈{title}〉 {milestone:words} 관객 돌파[(누적 {audienceTotal}명)]"
    static let en = "{title} passes {milestone:words} admissions[ ({audienceTotal} so far)]"

    /// The first day with complete totals.
    static let firstDay = KoreanDate(dayNumber: 14_975)  // 2011-01-01

    var totals = [1_000_000, 3_000_000, 5_000_000, 10_000_000, 15_000_000, 20_000_000]

    func match(for input: RuleInput) -> RuleMatch? {
        guard let total = input.entry.audienceTotal, total >= totals[0], input.day.chart.date >= Self.firstDay,
            input.entry.openDate.map({ $0 >= Self.firstDay }) ?? true
        else { return nil }
        let past = input.totals
        var before = input.entry.audience.map { total - $0 } ?? total
        if let last = past.last, let known = past.total {
            before = input.knowsDays(from: last) ? known : max(known, before)
        }
        guard let milestone = totals.last(where: { before < $0 && $0 <= total }) else { return nil }
        var values = input.values(.audience, .audienceTotal)
        values["milestone"] = .integer(milestone)
        return RuleMatch(values: values)
    }

    func holds(_ alert: Alert, for input: RuleInput) -> Bool {
        guard let total = input.entry.audienceTotal, let milestone = alert.milestone else { return false }
        return total >= milestone
    }

    func severity(of match: RuleMatch, rank: Int?) -> Alert.Severity {
        guard case .integer(let milestone) = match.values["milestone"] else { return .notable }
        return milestone >= 10_000_000 ? .major : .notable
    }

    func sample(of chart: Chart) -> RuleSample {
        let total = chart.first.audienceTotal ?? 0
        let milestone = totals.last { $0 <= total } ?? totals[0]
        return RuleSample(
            of: chart.first, ["milestone": .integer(milestone), "audienceTotal": .integer(max(milestone, total))])
    }
}

extension Alert {
    var milestone: Int? {
        guard rule == MilestoneRule.name, case .integer(let milestone) = values["milestone"] else { return nil }
        return milestone
    }
}

/// The movie had its largest audience since it opened, at least `after` days after it was first in a chart; fires only if all
/// days since it opened are known.
struct BestRule: MovieRule {
    static let name: AlertRule = "best"
    static let heading = RuleHeading("일일 최다 관객", "Best day", glyph: "↑")
    static let settings = [RuleSetting("after", \Self.after)]
    static let ownValues = ["previousBest", "previousBestDay"]
    static let ko = "〈{title}〉 개봉 후 일일 최다 관객 {audience}명[(종전 {previousBest}명)]"
    static let en = "{title} has its best day so far with {audience:admission/admissions}[ (before: {previousBest})]"

    var after = 7

    func match(for input: RuleInput) -> RuleMatch? {
        let past = input.totals
        guard let audience = input.entry.audience, let best = past.best, audience > best.audience,
            let first = past.first, input.day.chart.date - first >= after, let opening = input.entry.openDate,
            opening < input.day.chart.date, input.knowsDays(from: opening)
        else { return nil }
        var values = input.values(.audience, .audienceTotal)
        values["previousBest"] = .integer(best.audience)
        values["previousBestDay"] = .text(best.day.description)
        return RuleMatch(values: values)
    }

    func severity(of match: RuleMatch, rank: Int?) -> Alert.Severity { .notable }

    func sample(of chart: Chart) -> RuleSample {
        let best = chart.first.sampleAudience
        return RuleSample(
            of: chart.first,
            ["previousBest": .integer(best - best / 10), "previousBestDay": .text((chart.date - 7).description)])
    }
}

/// It is the movie's opening day.
struct OpeningRule: MovieRule {
    static let name: AlertRule = "opening"
    static let heading = RuleHeading("개봉", "Opening day", glyph: "◆")
    static let ko = "〈{title}〉 개봉 첫날[ {rank}위][, 관객 {audience}명][, 스크린 {screens}개]"
    static let en =
        "{title} opens[ at No. {rank}][ with {audience:admission/admissions}][ on {screens:screen/screens}]"

    func match(for input: RuleInput) -> RuleMatch? {
        guard input.entry.openDate == input.day.chart.date else { return nil }
        return RuleMatch(values: input.values(.audience, .audienceTotal, .sales, .screens, .showings))
    }

    func sample(of chart: Chart) -> RuleSample { RuleSample(of: chart.first) }
}

/// The movie has at least `factor` times the screens of the day before, or at most that fraction of them.
struct ScreensRule: MovieRule {
    static let name: AlertRule = "screens"
    static let heading = RuleHeading("스크린수 변동", "Change of screens", glyph: "▦")
    static let settings = [RuleSetting("factor", \Self.factor, from: 2), RuleSetting("from", \Self.from)]
    static let ownValues = ["previousScreens"]
    static let ko = "〈{title}〉 스크린수 {previousScreens}개→{screens}개"
    static let en = "{title} goes from {previousScreens} to {screens:screen/screens}"

    var factor = 2
    /// The least number of screens on the larger of the two days.
    var from = 100

    func match(for input: RuleInput) -> RuleMatch? {
        guard let now = input.entry.screens, let before = input.previousEntry?.screens, max(now, before) >= from,
            isMultiple(now, of: before) || isMultiple(before, of: now)
        else { return nil }
        var values = input.values(.screens, .showings, .audience)
        values["previousScreens"] = .integer(before)
        return RuleMatch(
            previousRank: input.previousEntry?.rank, change: input.entry.rankChange, values: values,
            usesPreviousDay: true)
    }

    private func isMultiple(_ more: Int, of fewer: Int) -> Bool {
        fewer > 0 && more / factor >= fewer
    }

    func sample(of chart: Chart) -> RuleSample {
        let screens = max(chart.first.screens ?? 0, from)
        return RuleSample(
            of: chart.first,
            ["screens": .integer(screens), "previousScreens": .integer(max(1, screens / factor))])
    }
}

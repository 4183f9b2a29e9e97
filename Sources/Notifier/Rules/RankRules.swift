import BoxOffice
import Contract

/// The movie rose by at least `by` ranks.
struct RoseRule: MovieRule {
    static let name: AlertRule = "rose"
    static let heading = RuleHeading("순위 상승", "Up in the chart", glyph: "▲")
    static let settings = [RuleSetting("by", \Self.by), RuleSetting("inside", \Self.inside)]
    static let ownValues = ["threshold"]
    static let ko = "〈{title}〉[ {previousRank}위→{rank}위| {rank}위] ▲{ranks}"
    static let en = "{title} is up {ranks:place/places}[ to No. {rank}][ (from No. {previousRank})]"

    var by = 3
    /// The lowest new rank that fires.
    var inside = Int.max

    func match(for input: RuleInput) -> RuleMatch? {
        guard let change = input.entry.change, change >= by, input.entry.rank ?? 0 <= inside else { return nil }
        return .rankChange(of: input, threshold: by)
    }

    func sample(of chart: Chart) -> RuleSample {
        RuleSample(
            of: chart.first, previousRank: chart.first.sampleRank + by, change: by, ["threshold": .integer(by)])
    }
}

/// The movie fell by at least `by` ranks.
struct FellRule: MovieRule {
    static let name: AlertRule = "fell"
    static let heading = RuleHeading("순위 하락", "Down in the chart", glyph: "▼")
    static let settings = [RuleSetting("by", \Self.by), RuleSetting("inside", \Self.inside)]
    static let ownValues = ["threshold"]
    static let ko = "〈{title}〉[ {previousRank}위→{rank}위| {rank}위] ▼{ranks}"
    static let en = "{title} is down {ranks:place/places}[ to No. {rank}][ (from No. {previousRank})]"

    var by = 3
    /// The lowest old rank that fires.
    var inside = Int.max

    func match(for input: RuleInput) -> RuleMatch? {
        guard let change = input.entry.change, change <= -by, input.entry.rankBefore ?? 0 <= inside else { return nil }
        return .rankChange(of: input, threshold: by)
    }

    func sample(of chart: Chart) -> RuleSample {
        RuleSample(
            of: chart.last, previousRank: max(1, chart.last.sampleRank - by), change: -by, ["threshold": .integer(by)])
    }
}

extension RuleMatch {
    fileprivate static func rankChange(of input: RuleInput, threshold: Int) -> RuleMatch {
        var values = input.values(.audience, .audienceTotal)
        values["threshold"] = .integer(threshold)
        return RuleMatch(previousRank: input.entry.rankBefore, change: input.entry.rankChange, values: values)
    }
}

extension ChartEntry {
    /// The number of ranks that the movie rose or, negative, fell; nil for a new movie.
    fileprivate var change: Int? { isNew ? nil : rankChange }

    /// The rank on the day before, as the chart itself reports it; nil for a new movie and where it is not known.
    var rankBefore: Int? {
        guard !isNew, let rank, let rankChange else { return nil }
        // The figures come from outside: an absurd one counts as unknown.
        let (before, isAbsurd) = rank.addingReportingOverflow(rankChange)
        return isAbsurd || before < 1 ? nil : before
    }
}

/// The chart marks the movie as new.
struct EnteredRule: MovieRule {
    static let name: AlertRule = "entered"
    static let heading = RuleHeading("신규 진입", "New in the chart", glyph: "＋")
    static let ko = "〈{title}〉[ {rank}위로] 신규 진입"
    static let en = "{title} is new [at No. {rank}|in the chart]"

    func match(for input: RuleInput) -> RuleMatch? {
        guard input.entry.isNew else { return nil }
        return RuleMatch(values: input.values(.audience, .audienceTotal, .openDate))
    }

    func sample(of chart: Chart) -> RuleSample { RuleSample(of: chart.first) }
}

/// The movie was in the chart of the day before and is not in this one. Evaluated for such movies only, and never fires of a
/// chart that is known to lack movies.
struct LeftRule: MovieRule {
    static let name: AlertRule = "left"
    static let heading = RuleHeading("10위권 이탈", "Out of the top ten", glyph: "－")
    static let occasion = RuleOccasion.departure
    // Not "어제": the chart itself is about yesterday, or an earlier day.
    static let ko = "〈{title}〉 10위권 이탈[(전날 {previousRank}위)]"
    static let en = "{title} has left the top ten[ (No. {previousRank} the day before)]"

    func match(for input: RuleInput) -> RuleMatch? {
        guard !input.context.lacksMovies.day else { return nil }
        return RuleMatch(previousRank: input.entry.rank, values: input.values(.audienceTotal), usesPreviousDay: true)
    }

    func sample(of chart: Chart) -> RuleSample { RuleSample(of: chart.last, previousRank: chart.last.sampleRank) }
}

/// The movie is back in the chart after at least `after` days. One that was there before its opening, with previews, is not
/// back on the day on which it opens or counts as new.
struct ReenteredRule: MovieRule {
    static let name: AlertRule = "reentered"
    static let heading = RuleHeading("재진입", "Back in the chart", glyph: "↩")
    static let settings = [RuleSetting("after", \Self.after)]
    static let ownValues = ["daysAway", "lastDay"]
    static let ko = "〈{title}〉, {daysAway}일 만에[ {rank}위로] 재진입"
    static let en = "{title} is back[ at No. {rank}] after {daysAway:day/days} away"

    var after = 7

    func match(for input: RuleInput) -> RuleMatch? {
        // On a day whose chart is not known it may have been back already.
        guard !input.entry.isNew, input.entry.openDate != input.day.chart.date,
            let last = input.totals.last, input.day.chart.date - last > after, input.previousDay != nil,
            !input.context.lacksMovies.previousDay, input.knowsDays(from: last)
        else { return nil }
        var values = input.values(.audience, .audienceTotal)
        values["daysAway"] = .integer(input.day.chart.date - last - 1)
        values["lastDay"] = .text(last.description)
        return RuleMatch(values: values, usesPreviousDay: true)
    }

    func holds(_ alert: Alert, for input: RuleInput) -> Bool {
        match(for: input)?.values["daysAway"] == alert.values["daysAway"]
    }

    func sample(of chart: Chart) -> RuleSample {
        let lastDay = chart.date - after - 1
        return RuleSample(of: chart.first, ["daysAway": .integer(after), "lastDay": .text(lastDay.description)])
    }
}

/// The movie is on line 1, and another movie was on the day before.
struct LeadRule: MovieRule {
    static let name: AlertRule = "lead"
    static let heading = RuleHeading("1위 교체", "New No. 1", glyph: "★")
    static let ownValues = ["previousLeader", "previousLeaderTitle", "reignDays"]
    static let ko =
        "〈{title}〉, 〈{previousLeaderTitle}〉{을/를} 제치고 1위[({movement})][, 일일 관객수 {audience}명]"
    static let en =
        "{title} takes No. 1 from {previousLeaderTitle}[, with {audience:admission/admissions} on the day]"

    func match(for input: RuleInput) -> RuleMatch? {
        guard input.entry.line == 1, let leader = input.previousDay?.chart.leader,
            !NamedMovie(leader).isSameMovie(as: NamedMovie(input.entry))
        else { return nil }
        var values = input.values(.audience, .audienceTotal)
        values["previousLeader"] = .text(leader.movieCode.description)
        values["previousLeaderTitle"] = .text(leader.title)
        values["reignDays"] = input.leadStreak.flatMap { $0.isWhole ? .integer($0.days) : nil } ?? .null
        return RuleMatch(
            previousRank: input.entry.rankBefore ?? input.previousEntry?.rank,
            change: input.entry.isNew ? nil : input.entry.rankChange, values: values, usesPreviousDay: true,
            namedMovies: ["previousLeaderTitle": NamedMovie(leader)])
    }

    func sample(of chart: Chart) -> RuleSample {
        let other = chart.entries.first { $0.movieCode != chart.first.movieCode } ?? chart.first
        return RuleSample(
            of: chart.first, previousRank: chart.first.sampleRank + 1, change: 1,
            [
                "previousLeader": .text(other.movieCode.description), "previousLeaderTitle": .text(other.title),
                "reignDays": .null,
            ])
    }
}

/// The movie has led the chart for one of these numbers of consecutive days.
struct StreakRule: MovieRule {
    static let name: AlertRule = "streak"
    static let heading = RuleHeading("연속 1위", "Days at No. 1", glyph: "★")
    static let settings = [RuleSetting("days", \Self.days)]
    static let ownValues = ["streakDays", "firstDay"]
    static let ko = "〈{title}〉 {streakDays}일 연속 1위"
    static let en = "{title} has been No. 1 for {streakDays:day/days} in a row"

    var days = [7, 14, 21, 30, 50, 100]

    func match(for input: RuleInput) -> RuleMatch? {
        guard input.entry.line == 1, let leadStreak = input.leadStreak, leadStreak.leader == input.entry.movieCode,
            leadStreak.isWhole, days.contains(leadStreak.days + 1)
        else { return nil }
        var values = input.values(.audience, .audienceTotal)
        values["streakDays"] = .integer(leadStreak.days + 1)
        values["firstDay"] = .text(leadStreak.first.description)
        return RuleMatch(
            previousRank: input.previousEntry?.rank, change: input.entry.rankChange, values: values,
            usesPreviousDay: true)
    }

    func holds(_ alert: Alert, for input: RuleInput) -> Bool {
        match(for: input)?.values["streakDays"] == alert.values["streakDays"]
    }

    func severity(of match: RuleMatch, rank: Int?) -> Alert.Severity {
        guard case .integer(let days) = match.values["streakDays"] else { return .notable }
        return days >= 30 ? .major : .notable
    }

    func sample(of chart: Chart) -> RuleSample {
        let firstDay = chart.date - (days[0] - 1)
        return RuleSample(
            of: chart.first, ["streakDays": .integer(days[0]), "firstDay": .text(firstDay.description)])
    }
}

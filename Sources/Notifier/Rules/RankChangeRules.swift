import BoxOffice
import Contract
import EventStore

/// The film rose by so many ranks or more.
struct RoseRule: Rule {
    static let word = AlertRule.rose
    static let figures = ["threshold"]
    static let ko = "{title}[ {previousRank}위→{rank}위| {rank}위] ▲{ranks}"
    static let en = "{title} is up {ranks:place/places}[ to No. {rank}][ (from No. {previousRank})]"

    /// How many ranks.
    var by = 3
    /// The rank down to which its new rank counts.
    var inside = Int.max

    func firing(for movie: ChartAppearance) -> RuleMatch? {
        guard let change = movie.entry.change, change >= by, movie.entry.rank ?? 0 <= inside else { return nil }
        return .move(of: movie, threshold: by)
    }
}

/// The film fell by so many ranks or more.
struct FellRule: Rule {
    static let word = AlertRule.fell
    static let figures = ["threshold"]
    static let ko = "{title}[ {previousRank}위→{rank}위| {rank}위] ▼{ranks}"
    static let en = "{title} is down {ranks:place/places}[ to No. {rank}][ (from No. {previousRank})]"

    /// How many ranks.
    var by = 3
    /// The rank down to which its old rank counts.
    var inside = Int.max

    func firing(for movie: ChartAppearance) -> RuleMatch? {
        guard let change = movie.entry.change, change <= -by, movie.entry.rankBefore ?? 0 <= inside else { return nil }
        return .move(of: movie, threshold: by)
    }
}

extension RuleMatch {
    fileprivate static func move(of movie: ChartAppearance, threshold: Int) -> RuleMatch {
        var values = movie.figures(.audience, .audienceTotal)
        values["threshold"] = .integer(threshold)
        return RuleMatch(previousRank: movie.entry.rankBefore, change: movie.entry.rankChange, values: values)
    }
}

extension ChartEntry {
    /// How many ranks the film rose or fell; nil for a new one.
    fileprivate var change: Int? { isNew ? nil : rankChange }

    /// The rank on the day before, by the chart's own account; nil for a film that is new or of which it is not known.
    var rankBefore: Int? {
        guard !isNew, let rank, let rankChange else { return nil }
        // The figures come from outside: an absurd one is as good as none.
        let (before, isAbsurd) = rank.addingReportingOverflow(rankChange)
        return isAbsurd || before < 1 ? nil : before
    }
}

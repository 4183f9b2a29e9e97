import BoxOffice
import Contract
import EventStore

/// The film was in the chart of the day before, and is not in this one. It is asked for such films only.
struct LeftRule: Rule {
    static let word = AlertRule.left
    static let figures: [String] = []
    // Not "어제": the chart itself is about yesterday, or an earlier day.
    static let ko = "〈{title}〉 10위권 밖으로[ (전날 {previousRank}위)]"
    static let en = "{title} has left the top ten[ (No. {previousRank} the day before)]"

    func firing(for movie: ChartAppearance) -> RuleMatch? {
        RuleMatch(previousRank: movie.entry.rank, values: movie.figures(.audienceTotal), looksBack: true)
    }
}

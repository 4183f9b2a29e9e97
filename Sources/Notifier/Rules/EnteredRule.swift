import BoxOffice
import Contract
import EventStore

/// The film is new in the chart, as its line says.
struct EnteredRule: Rule {
    static let word = AlertRule.entered
    static let figures: [String] = []
    static let ko = "〈{title}〉 신작[ {rank}위로] 진입"
    static let en = "{title} is new [at No. {rank}|in the chart]"

    func firing(for movie: ChartAppearance) -> RuleMatch? {
        guard movie.entry.isNew else { return nil }
        return RuleMatch(values: movie.figures(.audience, .audienceTotal, .openDate))
    }
}

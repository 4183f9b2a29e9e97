import BoxOffice
import Contract
import EventStore

/// It is the film's opening day, and it is in the chart.
struct OpeningRule: Rule {
    static let word = AlertRule.opening
    static let figures: [String] = []
    static let ko = "〈{title}〉 개봉 첫날[ {rank}위][, 관객 {audience}명][, 스크린 {screens}개]"
    static let en =
        "{title} opens[ at No. {rank}][ with {audience:admission/admissions}][ on {screens:screen/screens}]"

    func firing(for movie: ChartAppearance) -> RuleMatch? {
        guard movie.entry.openDate == movie.day.chart.date else { return nil }
        return RuleMatch(values: movie.figures(.audience, .audienceTotal, .sales, .screens, .showings))
    }
}

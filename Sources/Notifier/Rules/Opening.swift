import BoxOffice
import Events

/// It is the film's opening day, and it is in the chart.
struct Opening: Rule {
    static let word = AlertRule.opening
    static let figures: [String] = []
    static let ko = "〈{title}〉 개봉 첫날[ {rank}위][, 관객 {audience}명][, 스크린 {screens}개]"
    static let en =
        "{title} opens[ at No. {rank}][ with {audience:admission/admissions}][ on {screens:screen/screens}]"

    func firing(for film: FilmDay) -> Firing? {
        guard film.entry.openDate == film.day.chart.date else { return nil }
        return Firing(values: film.figures(.audience, .audienceTotal, .sales, .screens, .showings))
    }
}

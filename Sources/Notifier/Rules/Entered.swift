import BoxOffice
import Events

/// The film is new in the chart, as its line says.
struct Entered: Rule {
    static let word = AlertRule.entered
    static let figures: [String] = []
    static let ko = "〈{title}〉 신작[ {rank}위로] 진입"
    static let en = "{title} is new [at No. {rank}|in the chart]"

    func firing(for film: FilmDay) -> Firing? {
        guard film.entry.isNew else { return nil }
        return Firing(values: film.figures(.audience, .audienceTotal, .openDate))
    }
}

import BoxOffice
import Contract
import EventStore

/// The film has several times the screens of the day before, or a fraction of them.
struct ScreensRule: Rule {
    static let word = AlertRule.screens
    static let figures = ["previousScreens"]
    static let ko = "〈{title}〉 스크린 {previousScreens}개→{screens}개"
    static let en = "{title} goes from {previousScreens} to {screens:screen/screens}"

    /// How many times as many, or as few.
    var factor = 2
    /// How many screens the larger of the two days must have.
    var from = 100

    func firing(for movie: ChartAppearance) -> RuleMatch? {
        guard let now = movie.entry.screens, let before = movie.last?.screens, max(now, before) >= from,
            isMultiple(now, of: before) || isMultiple(before, of: now)
        else { return nil }
        var values = movie.figures(.screens, .showings, .audience)
        values["previousScreens"] = .integer(before)
        return RuleMatch(
            previousRank: movie.last?.rank, change: movie.entry.rankChange, values: values, looksBack: true)
    }

    private func isMultiple(_ more: Int, of fewer: Int) -> Bool {
        fewer > 0 && more / factor >= fewer
    }
}

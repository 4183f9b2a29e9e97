import BoxOffice
import Events
import Testing

/// Made-up values for tests.
enum Sample {
    static func date(_ text: String) throws -> KoreanDate { try #require(KoreanDate(text)) }

    /// A chart with a film for each letter, whose code is the letter eight times.
    static func chart(
        _ day: String, _ titles: String, market: Market = .all, audience: Int = 1_000
    ) throws -> Chart {
        let entries = try titles.enumerated().map { index, letter in
            var entry = ChartEntry(
                line: index + 1, rank: index + 1, rankChange: 0, isNew: false, movieCode: try code(letter),
                title: "\(letter)")
            entry.audience = audience - index
            return entry
        }
        return Chart(date: try date(day), market: market, state: .settled, entries: entries)
    }

    static func code(_ letter: Character) throws -> MovieCode {
        try #require(MovieCode(String(repeating: letter, count: 8)))
    }

    static func topic(_ chart: Chart) -> Topic { .ranking(day: chart.date, market: chart.market) }

    /// As much of an alert as the board looks at.
    struct Alert: Encodable, Sendable {
        var rule = "rose"
        var date = "2024-06-04"
        var movieCode: String? = "AAAAAAAA"
        var title: String? = "A"
        var retracts: String?
        var text = ["ko": "A 4위→1위 ▲3", "en": "A is up 3"]
    }
}

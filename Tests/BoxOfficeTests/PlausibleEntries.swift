import BoxOffice
import Testing

/// The lines of a chart that nothing is wrong with, the first with `total` admissions so far; each day's are unlike the
/// others'.
func plausibleEntries(of day: Int, lines: Int, total: Int) throws -> [ChartEntry] {
    try (1...lines).map { line in
        let code = try #require(MovieCode("2024000\(line % 10)"))
        var entry = ChartEntry(line: line, rank: line, rankChange: 0, isNew: false, movieCode: code, title: "첫눈")
        entry.sales = day * 100_000 - line * 1_000
        entry.audience = day * 100 - line
        entry.audienceTotal = total + line - 1
        return entry
    }
}

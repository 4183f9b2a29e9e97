import BoxOffice
import EventStore

/// The text of a movie's facts; unknown facts are omitted.
struct MovieView {
    let movie: Movie

    /// The title and a line for each known fact.
    var lines: [String] {
        let facts: [(String, String?)] = [
            ("영문", movie.titleEnglish),
            ("감독", list(movie.directors.map(\.name))),
            ("제작년도", movie.productionYear.map(String.init)),
            ("개봉일", movie.openDate?.description),
            ("상영시간", movie.runtimeMinutes.map { "\($0)분" }),
            ("관람등급", list(movie.ratings.map(\.grade))),
            ("제작국가", list(movie.nations)),
            ("장르", list(movie.genres)),
            ("배우", list(movie.actors.map(\.name))),
        ]
        var table = TextTable([.left, .left])
        for case (let name, let value?) in facts { table.add([name, value], paint: [0: TerminalColor.dim.paint]) }
        return [TerminalColor.bold.paint("\(movie.title) (\(movie.code))")] + table.lines
    }

    private func list(_ values: [String]) -> String? {
        let shown = values.prefix(10).joined(separator: ", ")
        return values.isEmpty ? nil : values.count > 10 ? "\(shown) … (\(values.count))" : shown
    }
}

/// The text of a poster.
struct PosterView {
    let poster: Poster

    /// The address, type and size of the image, or a line that no poster was found.
    var lines: [String] {
        guard let image = poster.image else { return ["포스터  없음 (\(poster.query))"] }
        let size = "\(image.contentType), \(image.width)×\(image.height), \(image.bytes.grouped) bytes"
        return ["포스터  \(image.imageURL)", "        \(size)"]
    }
}

/// The text of a movie's days in the charts: its ranks, its audience and, on a terminal, a bar of the audience.
struct MovieHistoryTable {
    /// The days, in order.
    let days: [ChartAppearance]
    /// Whether lines have bars, and missing days a line with a mark.
    let hasPlot: Bool

    /// The length of the longest bar, in columns.
    private static let width = 24

    /// The title, the column heads and a line for each day.
    var lines: [String] {
        guard let first = days.first, let last = days.last else { return [] }
        var table = TextTable([.left, .right, .left, .right, .right] + (hasPlot ? [.left] : []))
        table.add(["날짜", "순위", "변동", "관객", "누적"] + (hasPlot ? [""] : []))
        let most = days.compactMap(\.entry.audience).max() ?? 0
        var before: KoreanDate?
        for day in days {
            if hasPlot, let before, day.date - before > 1 { table.add(["⋮", "", "", "", "", ""]) }
            before = day.date
            let entry = day.entry
            table.add(
                [
                    "\(day.date)", entry.rank.map(String.init) ?? "?", entry.movement.description,
                    entry.audience?.grouped ?? "?", entry.audienceTotal?.grouped ?? "?",
                ] + (hasPlot ? [Self.bar(entry.audience ?? 0, of: most)] : []),
                paint: entry.movement.color.map { [2: $0.paint] } ?? [:])
        }
        let market = first.revision.chart.market == .all ? "" : " · \(first.revision.chart.market)"
        let title =
            "\(last.entry.title) (\(last.entry.movieCode))\(market) · \(first.date) ~ \(last.date) · \(days.count)일"
        return [TerminalColor.bold.paint(title)] + table.lines
    }

    /// Returns a bar for `number`, where `most` has the longest bar, to an eighth of a column.
    static func bar(_ number: Int, of most: Int) -> String {
        guard most > 0, number > 0 else { return "" }
        let eighths = max(1, number * width * 8 / most)
        let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
        return String(repeating: "█", count: eighths / 8) + rest
    }
}

extension RankMovement {
    /// The usual colour in Korean charts.
    var color: TerminalColor? {
        switch self {
        case .new, .rose: .red
        case .fell: .blue
        case .unchanged: nil
        }
    }
}

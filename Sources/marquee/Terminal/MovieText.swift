import BoxOffice
import EventStore
import Text

/// The text of a movie's facts; unknown facts are omitted.
struct MovieText {
    let movie: Movie
    var language = Language.current

    /// The title and a line for each known fact.
    var lines: [String] {
        factTable(
            "\(movie.title) (\(movie.code))",
            [
                (language("영문", "English"), [movie.titleEnglish]),
                (
                    language("감독", "Director"),
                    list(movie.directors.map { language($0.name, $0.nameEnglish ?? $0.name) })
                ),
                (language("제작연도", "Year"), [movie.productionYear.map(String.init)]),
                (language("개봉일", "Released"), [movie.openDate?.description]),
                (language("상영시간", "Runtime"), [movie.runtimeMinutes.map { language("\($0)분", "\($0) min") }]),
                (language("관람등급", "Rating"), list(movie.ratings.map { word($0.grade, .ratings) })),
                (language("제작국가", "Country"), list(movie.nations.map { word($0, .nations) })),
                (language("장르", "Genre"), list(movie.genres.map { word($0, .genres) })),
                (language("출연", "Cast"), list(movie.actors.map { language($0.name, $0.nameEnglish ?? $0.name) })),
            ])
    }

    private func word(_ korean: String, _ vocabulary: MovieVocabulary) -> String {
        language(korean, vocabulary.english(korean))
    }

    private func list(_ values: [String]) -> [String] {
        let shown = values.prefix(10).joined(separator: ", ")
        return values.isEmpty ? [] : [values.count > 10 ? "\(shown) … (\(values.count))" : shown]
    }
}

struct PosterText {
    let poster: Poster
    var language = Language.current

    /// The address, type, size and page of the image and how it was found, or a line that no poster was found.
    var lines: [String] {
        guard let image = poster.image else {
            return [language("포스터  없음(\(poster.query))", "Poster  none (\(poster.query))")]
        }
        let hit = poster.hit ?? 0
        let origin =
            image.source == Poster.Image.operatorSource
            ? language("운영자가 지정함", "chosen by the operator")
            : language("검색  \(poster.query) · \(hit)번째 결과", "search  \(poster.query) · hit \(hit)")
        let size =
            "\(image.contentType), \(image.width)×\(image.height), "
            + language("\(image.bytes.grouped)바이트", "\(image.bytes.grouped) bytes")
        let source = image.pageURL.map { page in
            "        \(language("출처", "from"))  \(image.site.map { "\($0), " } ?? "")\(page)"
        }
        return ["\(language("포스터", "Poster"))  \(image.imageURL)", "        \(size)", "        \(origin)"]
            + [source].compactMap(\.self)
    }
}

/// The text of a movie's days in the charts.
struct MovieHistoryTable {
    let days: [ChartAppearance]
    var language = Language.current

    /// The title, the column heads and a line for each day.
    var lines: [String] {
        guard let first = days.first, let last = days.last else { return [] }
        let market = first.revision.chart.market.names(in: language).map { " · \($0)" }.joined()
        let title =
            "\(last.entry.title) (\(last.entry.movieCode))\(market) · \(first.date) ~ \(last.date) · "
            + language("\(days.count)일", days.count == 1 ? "1 day" : "\(days.count) days")
        return [TerminalColor.bold.paint(title)]
            + days.table([
                .left(language("날짜", "Date")) { "\($0.date)" },
                .right(language("순위", "Rank")) { $0.entry.rank.map(String.init) ?? "?" },
                .left(language("변동", "Move")) { $0.entry.movement.text(in: language) },
                .right(language("관객수", "Admissions")) { $0.entry.audience?.grouped ?? "?" },
                .right(language("누적관객수", "Total")) { $0.entry.audienceTotal?.grouped ?? "?" },
            ])
    }
}

extension RankMovement {
    /// The movement as charts print it, in the usual colour of Korean charts.
    func text(in language: Language) -> String {
        switch self {
        case .new: TerminalColor.red.paint(language("NEW", "new"))
        case .rose: TerminalColor.red.paint(description)
        case .fell: TerminalColor.blue.paint(description)
        case .unchanged: description
        }
    }
}

import BoxOffice

/// A movie's facts as a terminal shows them; what is not known is left out.
struct MovieView {
    let movie: Movie

    /// The title and one line a fact.
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

/// What is known about a poster as a terminal shows it.
struct PosterView {
    let poster: Poster

    /// Where it is and what it is, or that there is none.
    var lines: [String] {
        guard let image = poster.image else { return ["포스터  없음 (\(poster.query))"] }
        let size = "\(image.contentType), \(image.width)×\(image.height), \(image.bytes.grouped) bytes"
        return ["포스터  \(image.imageURL)", "        \(size)"]
    }
}

import BoxOffice

extension ImageHit {
    /// The page that shows the image; nil if it was deleted. `movies` are those that open in the same week.
    func page(besides movies: [SimulatedMovie]) -> [UInt8]? {
        let facts = movie.facts
        let year = facts.year.isEmpty ? String(movie.opening.year) : facts.year
        let title = movie.plainTitle
        let directors = facts.directors.map(\.name).joined(separator: ", ")
        switch pageKind {
        case .titled:
            return HTMLPage.article("\(title) (\(year)) 포스터", ["\(title)의 포스터입니다.", "개봉일 \(movie.opening)"])
        case .review:
            let actors = facts.actors.prefix(4).map(\.person.name).joined(separator: ", ")
            let people = [("감독", directors), ("출연", actors)].filter { !$1.isEmpty }.map { "\($0) : \($1)" }
            return HTMLPage.article("영화 \(title) 후기", people + ["개봉 : \(movie.opening)", "극장에서 보고 왔습니다."])
        case .news:
            let maker = directors.isEmpty ? "화제작" : "\(directors) 감독의 신작"
            return HTMLPage.article(
                "\(title), 메인 포스터 공개", ["\(maker) 〈\(title)〉이(가) \(movie.opening.year)년 관객을 만난다."])
        case .bare: return HTMLPage.article("\(title) 봤어요", ["재미있었어요!"])
        case .list:
            let films = movies.map { film in
                "\(film.plainTitle) (\(film.opening.year)), 감독 "
                    + film.facts.directors.map(\.name).joined(separator: ", ")
            }
            return HTMLPage.article("\(movie.opening.year)년 \(movie.opening.month)월 극장 개봉작 모음", films)
        case .gone: return nil
        }
    }
}

import BoxOffice
import Concurrency
import FoundationEssentials
import JSONCoding

/// The source of charts, movies and image searches: the generated world or recorded responses.
///
/// The handlers check keys and parameters first. For unknown things it returns what the real services return.
protocol MovieCatalog: Sendable {
    /// Returns the response body of a daily or weekly chart.
    func chart(_ query: ChartQuery, at instant: Date) -> [UInt8]
    /// Returns the response body of a movie's facts.
    func movie(code: String, at instant: Date) -> [UInt8]
    /// Returns the response body of a page of an image search.
    ///
    /// - Parameter base: the sandbox's URL as the client addresses it, with which image addresses begin
    func images(_ query: ImageQuery, base: String, at instant: Date) -> [UInt8]
}

extension World: MovieCatalog {
    func chart(_ query: ChartQuery, at instant: Date) -> [UInt8] {
        query.body(
            chart(of: query.period, in: query.market, as: PublishedView(at: instant)))
    }

    func movie(code: String, at instant: Date) -> [UInt8] {
        Self.movieBody(movieInfo(code: code, as: PublishedView(at: instant)))
    }

    func images(_ query: ImageQuery, base: String, at instant: Date) -> [UInt8] {
        query.body(imageHits(for: query.text, at: instant), base: base)
    }

    /// Returns the response body of a movie's facts. For nil all values are empty; the service reports no error then.
    static func movieBody(_ movie: JSONTree?) -> [UInt8] {
        let texts = [
            "movieCd", "movieNm", "movieNmEn", "movieNmOg", "showTm", "prdtYear", "openDt", "prdtStatNm", "typeNm",
        ]
        let lists = ["nations", "genres", "directors", "actors", "showTypes", "companys", "audits", "staffs"]
        let unknown = JSONTree.object(texts.map { ($0, .string("")) } + lists.map { ($0, .array([])) })
        return JSONTree.object([
            ("movieInfoResult", .object([("movieInfo", movie ?? unknown), ("source", "영화진흥위원회")]))
        ]).json
    }
}

extension World {
    /// Returns a movie's facts in the service's format; nil if the service does not list the code.
    func movieInfo(code: String, as publishedView: PublishedView) -> JSONTree? {
        guard let movie = movie(code: code, as: publishedView) else { return nil }
        let facts = movie.facts
        func list<Part>(
            _ name: String, _ parts: [Part], _ fields: (Part) -> [(String, JSONTree)]
        ) -> (String, JSONTree) {
            (name, .array(parts.map { .object(fields($0)) }))
        }
        func people(_ person: Person) -> [(String, JSONTree)] {
            [("peopleNm", .string(person.name)), ("peopleNmEn", .string(person.nameEnglish))]
        }
        return .object([
            ("movieCd", .string(movie.code)), ("movieNm", .string(movie.title)),
            ("movieNmEn", .string(movie.titleEnglish)), ("movieNmOg", .string(facts.titleOriginal)),
            ("showTm", .string(facts.minutes)), ("prdtYear", .string(facts.year)),
            ("openDt", .string(movie.hidesOpening ? "" : movie.opening.compact)),
            ("prdtStatNm", publishedView.hasOpened(movie) ? "개봉" : "개봉예정"), ("typeNm", .string(facts.type)),
            list("nations", facts.nations) { [("nationNm", .string($0))] },
            list("genres", facts.genres) { [("genreNm", .string($0))] },
            list("directors", facts.directors, people),
            list("actors", facts.actors) { actor in
                people(actor.person) + [("cast", .string(actor.cast)), ("castEn", .string(actor.castEnglish))]
            },
            list("showTypes", facts.showTypes) { showType in
                [("showTypeGroupNm", .string(showType.group)), ("showTypeNm", .string(showType.name))]
            },
            list("companys", facts.companies) { company in
                [
                    ("companyCd", .string(company.code)), ("companyNm", .string(company.name)),
                    ("companyNmEn", .string(company.nameEnglish)), ("companyPartNm", .string(company.part)),
                ]
            },
            list("audits", facts.audits) { [("auditNo", .string($0.number)), ("watchGradeNm", .string($0.grade))] },
            list("staffs", facts.staff) { people($0.person) + [("staffRoleNm", .string($0.role))] },
        ])
    }
}

extension World {
    /// Returns the movies of the title that a search begins with, and the words behind it, without "movie" and "poster".
    func search(
        _ query: String, as publishedView: PublishedView
    ) -> (movies: [SimulatedMovie], words: ArraySlice<Substring>) {
        let words = Self.searchWords(query)
        let titles = titles(upTo: publishedView.newestWeek)
        for count in stride(from: words.count, to: 0, by: -1) {
            guard let ids = titles[words.prefix(count).joined(separator: " ")] else { continue }
            let movies = ids.map { SimulatedMovie($0, seed: seed) }.filter { publishedView.lists($0) }
            return (movies, words.dropFirst(count))
        }
        return ([], words[...])
    }

    /// Returns the movies that can appear in charts, by the words of their titles.
    func titles(upTo newest: ReleaseWeek) -> [String: [SimulatedMovieID]] {
        if let index = titleIndex.withLock({ $0 }), index.newest == newest { return index.movies }
        var movies: [String: [SimulatedMovieID]] = [:]
        let first = ReleaseWeek(of: .firstChart - TheatricalRun.longest)
        // Of the movies before the first chart, only re-releases can appear in a chart.
        let longestGap = SimulatedMovie.rereleaseGaps.max() ?? 0
        for number in stride(from: first.number - longestGap, through: newest.number, by: 1) {
            for slot in 0..<SimulatedMovieID.slots {
                let id = SimulatedMovieID(week: ReleaseWeek(number: number), slot: slot)
                guard number >= first.number || isRereleased(id, after: first) else { continue }
                let title = Self.searchWords(MovieTitle(of: id, seed: seed).korean).joined(separator: " ")
                movies[title, default: []].append(id)
            }
        }
        titleIndex.withLock { [movies] in $0 = (newest, movies) }
        return movies
    }

    private func isRereleased(_ id: SimulatedMovieID, after first: ReleaseWeek) -> Bool {
        SimulatedMovie.weeksToRerelease(of: id, seed: seed).map { id.week.number + $0 >= first.number } ?? false
    }

    /// Returns the words of a search without "movie" and "poster", and without angle brackets.
    private static func searchWords(_ query: String) -> [Substring] {
        query.split { $0.isWhitespace || $0 == "<" || $0 == ">" }.filter { !["영화", "포스터"].contains($0) }
    }
}

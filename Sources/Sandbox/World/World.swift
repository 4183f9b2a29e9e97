import BoxOffice
import Concurrency
import FoundationEssentials
import JSONCoding

/// A generated world of movies, with the audience of each movie on every day. Everything follows from one seed.
///
/// Days can be requested in any order; only the movies that a day needs are generated. A cache keeps those of up to
/// `maximumCachedWeeks` weeks.
final class World: Sendable {
    let seed: UInt64
    private let weeks = Locked<[ReleaseWeek: [SimulatedMovie]]>([:])
    /// The movies up to a week, by title.
    let titleIndex = Locked<(newest: ReleaseWeek, movies: [String: [SimulatedMovieID]])?>(nil)

    /// The limit of the cache; a chart needs the openings of about twenty weeks.
    private static let maximumCachedWeeks = 96

    init(seed: UInt64) {
        self.seed = seed
    }

    func movies(openingIn week: ReleaseWeek) -> [SimulatedMovie] {
        if let movies = weeks.withLock({ $0[week] }) { return movies }
        let new = (0..<SimulatedMovieID.slots).map { SimulatedMovieID(week: week, slot: $0) }
        let rereleased = SimulatedMovie.rereleaseGaps.flatMap { gap in
            (0..<SimulatedMovieID.slots).map { SimulatedMovieID(week: week + -gap, slot: $0) }
                .filter { SimulatedMovie.weeksToRerelease(of: $0, seed: seed) == gap }
        }
        let movies = (new + rereleased).map { SimulatedMovie($0, seed: seed) }
        weeks.withLock { weeks in
            if weeks.count >= Self.maximumCachedWeeks { weeks.removeAll(keepingCapacity: true) }
            weeks[week] = movies
        }
        return movies
    }

    func movie(code: String, as publishedView: PublishedView) -> SimulatedMovie? {
        guard let id = SimulatedMovieID(code: code) else { return nil }
        let movie = SimulatedMovie(id, seed: seed)
        return publishedView.lists(movie) ? movie : nil
    }

    /// Returns the movies of `market` with an audience in `period`, by rank.
    func ranking(of period: ChartPeriod, in market: Market, as publishedView: PublishedView) -> [RankedMovie] {
        let oldest = ReleaseWeek(of: period.first - TheatricalRun.longest)
        let newest = ReleaseWeek(of: period.last + TheatricalRun.earliestPreview)
        var rankedMovies: [RankedMovie] = []
        for number in oldest.number...newest.number {
            for movie in movies(openingIn: ReleaseWeek(number: number)) where movie.belongs(to: market) {
                guard let areaShare = movie.areaShare(of: market.area),
                    let rankedMovie = RankedMovie(of: movie, areaShare: areaShare, in: period, as: publishedView)
                else { continue }
                rankedMovies.append(rankedMovie)
            }
        }
        rankedMovies.sort(by: RankedMovie.precedes)
        for index in rankedMovies.indices {
            let isTied = index > 0 && rankedMovies[index - 1].audience == rankedMovies[index].audience
            rankedMovies[index].rank = isTied ? rankedMovies[index - 1].rank : index + 1
        }
        return rankedMovies
    }
}

extension SimulatedMovie {
    fileprivate func belongs(to market: Market) -> Bool {
        (market.nation.map { ($0 == .korean) == isKorean } ?? true)
            && (market.films.map { ($0 == .diverse) == isDiverse } ?? true)
    }
}

/// The published figures at one instant: which days have figures, and which corrections have been made.
struct PublishedView: Sendable {
    private let instant: Date
    private let newest: KoreanDate
    private let settled: KoreanDate

    init(at instant: Date) {
        self.instant = instant
        // A day's chart is published a few minutes after midnight.
        newest = .yesterday(at: instant.addingTimeInterval(-5 * 60))
        settled = KoreanDate(at: instant) - 4
    }

    func covers(_ date: KoreanDate) -> Bool {
        date >= .firstChart && date <= newest
    }

    /// Whether the service lists `movie`: from some weeks before it opens, and old movies that may be re-released.
    func lists(_ movie: SimulatedMovie) -> Bool {
        movie.opening <= newest + 45 && movie.opening > .firstChart - 8000
    }

    var newestWeek: ReleaseWeek {
        ReleaseWeek(of: newest + 45)
    }

    func hasOpened(_ movie: SimulatedMovie) -> Bool {
        movie.opening <= newest + 1
    }

    /// Returns the published audience of a day: late reports add to it and cancelled tickets reduce it until it settles.
    func audience(of movie: SimulatedMovie, on date: KoreanDate, settledAt number: Int) -> Int {
        guard date > settled, number > 0 else { return number }
        var random = movie.random(for: .corrections).branch(date.dayNumber)
        let published = publishedCorrections(of: date)
        var missing = 0
        for correction in Self.hours.indices {
            // The first correction adds late reports; the others mostly remove cancelled tickets.
            let most = min(number / 8, correction == 0 ? 80 : 8)
            let isCorrected = random.chance(0.45)
            let change = random.integer(in: (correction == 0 ? -most / 8 : -most)...(correction == 0 ? most : most / 3))
            if isCorrected, correction >= published { missing += change }
        }
        return number - missing
    }

    private func publishedCorrections(of date: KoreanDate) -> Int {
        let elapsed = instant.timeIntervalSince((date + 1).start)
        return Self.hours.count { elapsed >= $0 * 3600 }
    }

    /// The times of the corrections, in hours after the end of the day; the last one settles it.
    private static let hours: [Double] = [9, 14, 32, 72]
}

// MARK: - Responses

extension World: MovieCatalog {
    func chart(_ query: ChartQuery, at instant: Date) -> [UInt8] {
        query.body(chart(of: query.period, in: query.market, as: PublishedView(at: instant)))
    }

    func movie(code: String, at instant: Date) -> [UInt8] {
        let publishedView = PublishedView(at: instant)
        return Self.movieBody(movie(code: code, as: publishedView)?.info(as: publishedView))
    }

    func images(_ query: ImageQuery, base: String, at instant: Date) -> [UInt8] {
        query.body(imageHits(for: query.text, at: instant), base: base)
    }

    /// Returns the response body of a movie's facts. For nil all values are empty; the service reports no error then.
    static func movieBody(_ movie: OrderedObject?) -> [UInt8] {
        let texts = [
            "movieCd", "movieNm", "movieNmEn", "movieNmOg", "showTm", "prdtYear", "openDt", "prdtStatNm", "typeNm",
        ]
        let lists = ["nations", "genres", "directors", "actors", "showTypes", "companys", "audits", "staffs"]
        var unknown = OrderedObject(texts.map { ($0, "") })
        unknown.append(OrderedObject(lists.map { ($0, [String]()) }))
        let result: OrderedObject = ["movieInfo": movie ?? unknown, "source": "영화진흥위원회"]
        return (["movieInfoResult": result] as OrderedObject).json
    }
}

import BoxOffice
import Concurrency

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

    /// Returns the movies that open or are re-released in `week`.
    func movies(openingIn week: ReleaseWeek) -> [SimulatedMovie] {
        if let movies = weeks.withLock({ $0[week] }) { return movies }
        let new = (0..<SimulatedMovieID.slots).map { SimulatedMovieID(week: week, slot: $0) }
        let rereleased = SimulatedMovie.rereleaseGaps.flatMap { gap in
            (0..<SimulatedMovieID.slots).map { SimulatedMovieID(week: week - gap, slot: $0) }
                .filter { SimulatedMovie.weeksToRerelease(of: $0, seed: seed) == gap }
        }
        let movies = (new + rereleased).map { SimulatedMovie($0, seed: seed) }
        weeks.withLock { weeks in
            if weeks.count >= Self.maximumCachedWeeks { weeks.removeAll(keepingCapacity: true) }
            weeks[week] = movies
        }
        return movies
    }

    /// Returns the movie with a code, if the service lists it.
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

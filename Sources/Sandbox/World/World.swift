import BoxOffice
import Concurrency

/// A made-up film world: which films open when, and what each does on every day, all following from one seed.
///
/// Any day can be asked for first; nothing is simulated from the start. Films of the weeks asked for last are kept.
final class World: Sendable {
    let seed: UInt64
    private let weeks = Locked<[ReleaseWeek: [SimulatedMovie]]>([:])
    let titleIndex = Locked<TitleIndex?>(nil)

    /// A chart needs the openings of about twenty weeks.
    private static let weeksKept = 96

    init(seed: UInt64) {
        self.seed = seed
    }

    /// The films that open in `week`, for the first or the second time.
    func movies(openingIn week: ReleaseWeek) -> [SimulatedMovie] {
        if let movies = weeks.withLock({ $0[week] }) { return movies }
        let new = (0..<SimulatedMovieID.slots).map { SimulatedMovieID(week: week, slot: $0) }
        let returning = SimulatedMovie.returns.flatMap { gap in
            (0..<SimulatedMovieID.slots).map { SimulatedMovieID(week: week - gap, slot: $0) }
                .filter { SimulatedMovie.return(of: $0, seed: seed) == gap }
        }
        let movies = (new + returning).map { SimulatedMovie($0, seed: seed) }
        weeks.withLock { weeks in
            if weeks.count >= Self.weeksKept { weeks.removeAll(keepingCapacity: true) }
            weeks[week] = movies
        }
        return movies
    }

    /// The film that has a code, if its opening is near enough for the service to know of it.
    func movie(code: String, as knowledge: PublishedView) -> SimulatedMovie? {
        guard let id = SimulatedMovieID(code: code) else { return nil }
        let movie = SimulatedMovie(id, seed: seed)
        return knowledge.hasHeard(of: movie) ? movie : nil
    }

    /// Everything that was shown in `span` and belongs to `market`, by rank.
    func ranking(of span: ChartPeriod, in market: Market, as knowledge: PublishedView) -> [RankedMovie] {
        let oldest = ReleaseWeek(of: span.first - TheatricalRun.longest)
        let newest = ReleaseWeek(of: span.last + TheatricalRun.earliestPreview)
        var standings: [RankedMovie] = []
        for number in oldest.number...newest.number {
            for movie in movies(openingIn: ReleaseWeek(number: number)) where movie.belongs(to: market) {
                guard let slice = movie.slice(area: market.area?.description),
                    let standing = RankedMovie(of: movie, slice: slice, in: span, as: knowledge)
                else { continue }
                standings.append(standing)
            }
        }
        standings.sort(by: RankedMovie.precedes)
        for index in standings.indices {
            let isTied = index > 0 && standings[index - 1].audience == standings[index].audience
            standings[index].rank = isTied ? standings[index - 1].rank : index + 1
        }
        return standings
    }
}

extension SimulatedMovie {
    fileprivate func belongs(to market: Market) -> Bool {
        (market.nation.map { ($0 == .korean) == isKorean } ?? true)
            && (market.films.map { ($0 == .diverse) == isDiverse } ?? true)
    }
}

import BoxOffice
import Concurrency

extension World {
    /// The film that a search for `query` means, if it names one: the words for a poster around the title do not count.
    func movie(titled query: String, as knowledge: PublishedView) -> SimulatedMovie? {
        guard let id = titles(upTo: knowledge.newestWeek)[Self.searchWords(query)] else { return nil }
        let movie = SimulatedMovie(id, seed: seed)
        return knowledge.hasHeard(of: movie) ? movie : nil
    }

    /// The films of all weeks by the words of their titles; of two with one title, the later.
    private func titles(upTo newest: ReleaseWeek) -> [String: SimulatedMovieID] {
        if let index = titleIndex.withLock({ $0 }), index.newest == newest { return index.movies }
        var movies: [String: SimulatedMovieID] = [:]
        let first = ReleaseWeek(of: .firstChart - TheatricalRun.longest)
        // Of the films from before the first chart only those are ever seen that return.
        let returning = SimulatedMovie.returns.max() ?? 0
        for number in stride(from: first.number - returning, through: newest.number, by: 1) {
            for slot in 0..<SimulatedMovieID.slots {
                let id = SimulatedMovieID(week: ReleaseWeek(number: number), slot: slot)
                guard number >= first.number || SimulatedMovie.return(of: id, seed: seed) != nil else { continue }
                movies[Self.searchWords(SimulatedMovie.plainTitle(of: id, seed: seed))] = id
            }
        }
        let index = TitleIndex(newest: newest, movies: movies)
        titleIndex.withLock { $0 = index }
        return movies
    }

    /// The words of a search, without those that only say what is looked for, and without marks.
    private static func searchWords(_ query: String) -> String {
        query.split { $0.isWhitespace || $0 == "<" || $0 == ">" }
            .filter { !["영화", "포스터"].contains($0) }
            .joined(separator: " ")
    }

    /// Titles of the weeks up to one.
    struct TitleIndex: Sendable {
        let newest: ReleaseWeek
        let movies: [String: SimulatedMovieID]
    }
}

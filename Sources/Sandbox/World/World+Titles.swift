import BoxOffice
import Concurrency

extension World {
    /// The film that a search for `query` means, if it names one: the words for a poster around the title do not count.
    func film(titled query: String, as knowledge: Knowledge) -> Film? {
        guard let id = titles(upTo: knowledge.newestWeek)[Self.searchWords(query)] else { return nil }
        let film = Film(id, seed: seed)
        return knowledge.hasHeard(of: film) ? film : nil
    }

    /// The films of all weeks by the words of their titles; of two with one title, the later.
    private func titles(upTo newest: ReleaseWeek) -> [String: FilmID] {
        if let index = titleIndex.withLock({ $0 }), index.newest == newest { return index.films }
        var films: [String: FilmID] = [:]
        let first = ReleaseWeek(of: .firstChart - Run.longest)
        // Of the films from before the first chart only those are ever seen that return.
        let returning = Film.returns.max() ?? 0
        for number in stride(from: first.number - returning, through: newest.number, by: 1) {
            for slot in 0..<FilmID.slots {
                let id = FilmID(week: ReleaseWeek(number: number), slot: slot)
                guard number >= first.number || Film.return(of: id, seed: seed) != nil else { continue }
                films[Self.searchWords(Film.plainTitle(of: id, seed: seed))] = id
            }
        }
        let index = TitleIndex(newest: newest, films: films)
        titleIndex.withLock { $0 = index }
        return films
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
        let films: [String: FilmID]
    }
}

import BoxOffice
import Concurrency

/// A made-up film world: which films open when, and what each does on every day, all following from one seed.
///
/// Any day can be asked for first; nothing is simulated from the start. Films of the weeks asked for last are kept.
final class World: Sendable {
    let seed: UInt64
    private let weeks = Locked<[ReleaseWeek: [Film]]>([:])
    let titleIndex = Locked<TitleIndex?>(nil)

    /// A chart needs the openings of about twenty weeks.
    private static let weeksKept = 96

    init(seed: UInt64) {
        self.seed = seed
    }

    /// The films that open in `week`, for the first or the second time.
    func films(openingIn week: ReleaseWeek) -> [Film] {
        if let films = weeks.withLock({ $0[week] }) { return films }
        let new = (0..<FilmID.slots).map { FilmID(week: week, slot: $0) }
        let returning = Film.returns.flatMap { gap in
            (0..<FilmID.slots).map { FilmID(week: week - gap, slot: $0) }
                .filter { Film.return(of: $0, seed: seed) == gap }
        }
        let films = (new + returning).map { Film($0, seed: seed) }
        weeks.withLock { weeks in
            if weeks.count >= Self.weeksKept { weeks.removeAll(keepingCapacity: true) }
            weeks[week] = films
        }
        return films
    }

    /// The film that has a code, if its opening is near enough for the service to know of it.
    func film(code: String, as knowledge: Knowledge) -> Film? {
        guard let id = FilmID(code: code) else { return nil }
        let film = Film(id, seed: seed)
        return knowledge.hasHeard(of: film) ? film : nil
    }

    /// Everything that was shown in `span` and belongs to `market`, by rank.
    func ranking(of span: Span, in market: Market, as knowledge: Knowledge) -> [Standing] {
        let oldest = ReleaseWeek(of: span.first - Run.longest)
        let newest = ReleaseWeek(of: span.last + Run.earliestPreview)
        var standings: [Standing] = []
        for number in oldest.number...newest.number {
            for film in films(openingIn: ReleaseWeek(number: number)) where film.belongs(to: market) {
                guard let slice = film.slice(area: market.area?.description),
                    let standing = Standing(of: film, slice: slice, in: span, as: knowledge)
                else { continue }
                standings.append(standing)
            }
        }
        standings.sort(by: Standing.precedes)
        for index in standings.indices {
            let isTied = index > 0 && standings[index - 1].admissions == standings[index].admissions
            standings[index].rank = isTied ? standings[index - 1].rank : index + 1
        }
        return standings
    }
}

extension Film {
    fileprivate func belongs(to market: Market) -> Bool {
        (market.nation.map { ($0 == .korean) == isKorean } ?? true)
            && (market.films.map { ($0 == .diverse) == isDiverse } ?? true)
    }
}

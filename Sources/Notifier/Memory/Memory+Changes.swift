import BoxOffice
import Events
import FoundationEssentials

extension Memory {
    /// What has to be written for the memory to be on disk.
    struct Changes: Sendable {
        /// How far the log has been read.
        let position: LogPosition?
        let since: KoreanDate?
        let began: Date
        let history: History
        /// What has changed in the books.
        let books: [Book]
        /// What has changed on the shelf, if there is one.
        let shelf: Shelf.Changes?

        /// What has changed in a market's book.
        struct Book: Sendable {
            let market: Market
            /// Whether what was written before is no longer so.
            let isForgotten: Bool
            let newestDay: KoreanDate?
            let reign: Reign?
            /// The first day that is still open to corrections.
            let horizon: KoreanDate?
            /// Charts of open days.
            let charts: [OpenChart]
            /// Films, by what no correction can change any more.
            let films: [MovieCode: FilmHistory]
        }
    }

    /// What has changed since this was last asked.
    mutating func takeChanges() -> Changes {
        Changes(
            position: position, since: since, began: began, history: history,
            books: decider.takeChanges().map { market, changes in
                let book = decider.books[market] ?? Book(market: market)
                return Changes.Book(
                    market: market, isForgotten: changes.isForgotten, newestDay: book.newestDay, reign: book.reign,
                    horizon: book.horizon,
                    charts: changes.days.sorted().compactMap { book.days[$0] },
                    films: changes.films.reduce(into: [:]) { $0[$1] = book.films[$1] })
            }, shelf: takeShelfChanges())
    }
}

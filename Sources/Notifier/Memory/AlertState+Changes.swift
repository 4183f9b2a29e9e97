import BoxOffice
import FoundationEssentials
import Messaging

extension AlertState {
    /// What has to be written for the memory to be on disk.
    struct Changes: Sendable {
        /// How far the log has been read.
        let position: LogCursor?
        let since: KoreanDate?
        let began: Date
        let history: BaselinePosition
        /// What has changed in the books.
        let books: [MarketState]
        /// What has changed on the shelf, if there is one.
        let shelf: ProductStates.Changes?

        /// What has changed in a market's book.
        struct MarketState: Sendable {
            let market: Market
            /// Whether what was written before is no longer so.
            let isForgotten: Bool
            let newestDay: KoreanDate?
            let reign: LeadStreak?
            /// The first day that is still open to corrections.
            let horizon: KoreanDate?
            /// Charts of open days.
            let charts: [RecentChart]
            /// Films, by what no correction can change any more.
            let movies: [MovieCode: MovieState]
        }
    }

    /// What has changed since this was last asked.
    mutating func takeChanges() -> Changes {
        Changes(
            position: position, since: since, began: began, history: history,
            books: decider.takeChanges().map { market, changes in
                let book = decider.books[market] ?? MarketState(market: market)
                return Changes.MarketState(
                    market: market, isForgotten: changes.isForgotten, newestDay: book.newestDay, reign: book.reign,
                    horizon: book.horizon,
                    charts: changes.days.sorted().compactMap { book.days[$0] },
                    movies: changes.movies.reduce(into: [:]) { $0[$1] = book.movies[$1] })
            }, shelf: takeShelfChanges())
    }
}

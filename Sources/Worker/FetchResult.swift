import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import OpenMarket

/// What a fetcher found out, before it is compared with what the log already knows.
struct FetchResult: Sendable {
    /// A fact that has a topic of its own.
    enum Fact: Sendable {
        /// A day's figures, and whether they count as settled.
        case chart(Chart)
        /// A week's figures, likewise.
        case weekChart(WeekChart)
        case movie(Movie)
        case poster(Poster)
        case productPage(ProductPage)
        case product(Product)
        case productRemoved(RemovedProduct)

        /// The chart of a day, if it is one.
        var chart: Chart? {
            if case .chart(let chart) = self { chart } else { nil }
        }
    }

    /// What an upstream said just now.
    var fetched: [Fact] = []
    /// What the log knew already and is fresh enough.
    var logged: [LoggedEvent] = []
    /// What went wrong beside that.
    var problems: [ContractError] = []

    /// When the upstream was asked, if that was later than the request was taken in hand.
    var askedAt: Date?

    /// Where the answer came from: the log only if no upstream was asked.
    var source = RequestDone.Source.log
}

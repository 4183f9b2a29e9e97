import BoxOffice
import Contract
import EventStore
import JSONCoding
import OpenMarket

extension FetchResult.Fact {
    /// Where the fact is published.
    var topic: Topic {
        switch self {
        case .chart(let chart): .ranking(day: chart.date, market: chart.market)
        case .weekChart(let chart): .weekRanking(chart.week, market: chart.chart.market)
        case .movie(let movie): .movie(movie.code)
        case .poster(let poster): .poster(poster.code)
        case .productPage(let page): .products(page: page.page, perPage: page.perPage)
        case .product(let product): .product(product.id)
        case .productRemoved(let removed): .productRemoved(removed.id)
        }
    }

    /// The event that says the fact, or nil if `known`, the newest event of its topic, says the same.
    func draft(after known: LoggedEvent?, foundBy accepted: AcceptedRequest) throws -> EventDraft? {
        switch self {
        case .chart(let chart):
            var news = chart
            if let known {
                guard let revision = chart.revised(from: try known.data()) else { return nil }
                news = revision
            }
            return draft(foundBy: accepted, data: news.json)
        case .weekChart(let chart):
            var news = chart
            if let known {
                guard let revision = chart.revised(from: try known.data()) else { return nil }
                news = revision
            }
            return draft(foundBy: accepted, data: news.json)
        case .movie(let movie):
            guard try known?.data(as: Movie.self) != movie else { return nil }
            return draft(foundBy: accepted, data: try JSON.encode(movie))
        case .poster(let poster):
            guard try known?.data(as: Poster.self) != poster else { return nil }
            return draft(foundBy: accepted, data: try JSON.encode(poster))
        case .productPage(let page):
            guard try known?.data(as: ProductPage.self) != page else { return nil }
            return draft(foundBy: accepted, data: try JSON.encode(page))
        case .product(let product):
            guard try known?.data(as: Product.self) != product else { return nil }
            return draft(foundBy: accepted, data: try JSON.encode(product))
        case .productRemoved(let removed):
            guard known == nil else { return nil }
            return draft(foundBy: accepted, data: try JSON.encode(removed))
        }
    }

    private func draft(foundBy accepted: AcceptedRequest, data: [UInt8]) -> EventDraft {
        EventDraft(topic, correlationID: accepted.id, priority: accepted.request.priority, data: data)
    }
}

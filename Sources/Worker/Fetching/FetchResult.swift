import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import JSONCoding
import OpenMarket
import Upstreams

/// What a fetcher found for a request, before it is compared with the log.
struct FetchResult: Sendable {
    /// A fact that is published on a topic of its own.
    enum Fact: Sendable {
        /// A day's chart.
        case chart(Chart)
        /// A week's chart.
        case weekChart(WeekChart)
        case movie(Movie)
        case poster(Poster)
        case productPage(ProductPage)
        case product(Product)
        case productRemoved(RemovedProduct)
    }

    /// The facts that an upstream has just answered with.
    var fetched: [Fact] = []
    /// The events of the log that are fresh enough to be part of the answer.
    var logged: [LoggedEvent] = []
    /// The errors of parts that could not be fetched.
    var problems: [ContractError] = []
    /// The optional fields that could not be read in the facts on these topics.
    var unreadable: [Topic: [UnreadableField]] = [:]

    /// When the upstream was asked, if that was after the request left the queue.
    var askedAt: Date?

    /// The source of the answer: the log only if no upstream was asked.
    var source = RequestDone.Source.log
}

extension FetchResult {
    /// Adds a fact that an upstream has just answered with.
    mutating func add<Value>(_ reading: Reading<Value>, as fact: (Value) -> Fact) {
        let fact = fact(reading.value)
        fetched.append(fact)
        unreadable[fact.topic] = reading.unreadable
    }
}

extension FetchResult.Fact {
    /// The topic that the fact is published on.
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

    /// Returns the anomaly of a field that could not be read in the fact, at a time.
    func anomaly(of field: UnreadableField, readAt now: Date) -> Anomaly {
        func anomaly(
            in subject: String, of date: KoreanDate, span: Week.Span? = nil, market: Market = .all
        ) -> Anomaly {
            .unreadable(
                field.name, at: field.path, count: field.count, in: subject, of: date, span: span, market: market)
        }
        switch self {
        case .chart(let chart): return anomaly(in: "the chart of \(chart.date)", of: chart.date, market: chart.market)
        case .weekChart(let chart):
            let week = chart.week
            return anomaly(
                in: "the \(week.span.rawValue) chart of \(week)", of: week.firstDay, span: week.span,
                market: chart.chart.market)
        case .movie, .poster, .productPage, .product, .productRemoved:
            var anomaly = anomaly(in: "the answer for \(topic)", of: KoreanDate(at: now))
            if case .movie(let movie) = self { (anomaly.movieCode, anomaly.title) = (movie.code, movie.title) }
            if case .poster(let poster) = self { (anomaly.movieCode, anomaly.title) = (poster.code, poster.title) }
            return anomaly
        }
    }

    /// Returns the event that states the fact, or nil if `known`, the newest event of its topic, states the same.
    func draft(after known: LoggedEvent?, foundBy accepted: AcceptedRequest) throws -> EventDraft? {
        switch self {
        case .chart(let chart):
            guard let known else { return draft(foundBy: accepted, data: chart.json) }
            guard let revision = chart.revised(from: try known.data()) else { return nil }
            return draft(foundBy: accepted, data: revision.json)
        case .weekChart(let chart):
            guard let known else { return draft(foundBy: accepted, data: chart.json) }
            guard let revision = chart.revised(from: try known.data()) else { return nil }
            return draft(foundBy: accepted, data: revision.json)
        case .movie(let movie):
            guard try known?.data(as: Movie.self) != movie else { return nil }
            return draft(foundBy: accepted, data: try JSON.encode(movie))
        case .poster(let poster):
            if let known, try known.data(as: Poster.self).statesSame(as: poster) { return nil }
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

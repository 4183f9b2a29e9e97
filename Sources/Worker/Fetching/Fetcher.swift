import BoxOffice
import Concurrency
import Contract
import EventStore
import FoundationEssentials
import JSONCoding
import Networking
import OpenMarket
import ServiceRuntime
import Upstreams

/// Finds the result of a request: in the log if that is fresh, otherwise at the upstreams. It writes nothing;
/// ``SettlementStore`` writes what it finds.
struct Fetcher: Sendable {
    let store: WorkerStore
    let client: HTTPClient
    let kobis: Kobis?
    let posters: PosterSearch?
    let quota: QuotaLedger?
    let runtime: Runtime
    var openMarket: ProductOrderExecutor?
    private let areas = Locked<(day: KoreanDate?, known: Set<Market.Area>)>((nil, []))

    /// Returns the result of a request; freshness and the charts' states are judged by `now`.
    func result(for accepted: AcceptedRequest, asOf now: Date) async throws -> FetchResult {
        let request = accepted.request
        // Another request may have fetched it while this one waited.
        let fresh = try await store.read { try Freshness($0).events(for: request, at: now) }
        if fresh.isComplete { return FetchResult(logged: fresh.events) }
        return switch request.target {
        case .day(let date, let market): try await chart(of: date, in: market, asOf: now)
        case .week(let week, let market): try await chart(of: week, in: market, asOf: now)
        case .movie(let code, let wantsPoster):
            try await movie(code, wantsPoster: wantsPoster, fresh: fresh.events)
        case .products(let query): try await configuredOpenMarket().client.result(for: query)
        case .productOrder(let order): try await configuredOpenMarket().result(for: order, of: accepted.id)
        }
    }

    private func configuredKobis() throws(ContractError) -> Kobis {
        guard let kobis else { throw .missingKey(of: Kobis.service, variable: "MARQUEE_KOBIS_KEY") }
        return kobis
    }

    private func configuredOpenMarket() throws(ContractError) -> ProductOrderExecutor {
        guard let openMarket else {
            throw ContractError(
                .unauthorized, "no Open Market is configured: set MARQUEE_OPENMARKET_URL",
                upstream: ContractError.Upstream(service: OpenMarketAPI.service))
        }
        return openMarket
    }

    private func chart(of date: KoreanDate, in market: Market, asOf now: Date) async throws -> FetchResult {
        let state = Chart.state(of: date, at: now)
        let kobis = try configuredKobis()
        try await checkArea(of: market, at: now)
        return FetchResult(try await send(kobis.dailyChart(date, market: market))) { entries in
            .chart(Chart(date: date, market: market, state: state, entries: entries))
        }
    }

    private func chart(of week: Week, in market: Market, asOf now: Date) async throws -> FetchResult {
        // KOBIS would answer with the figures of the days so far, which would be read as those of the whole week.
        guard week.lastDay <= .yesterday(at: now) else { throw ContractError.weekNotOver(week, at: now) }
        let state = Chart.state(of: week.lastDay, at: now)
        let kobis = try configuredKobis()
        try await checkArea(of: market, at: now)
        return FetchResult(try await send(kobis.weeklyChart(week, market: market))) { figures in
            .weekChart(
                WeekChart(
                    week: week, yearWeek: figures.yearWeek, market: market, state: state, entries: figures.entries))
        }
    }

    /// Throws `badRequest` if the market is an area that does not exist, because KOBIS's answer does not say which area
    /// it is about. The built-in areas cost no call. For another code the list of KOBIS is fetched, once per day in
    /// Korea; if it cannot be fetched, the code passes.
    private func checkArea(of market: Market, at now: Date) async throws {
        guard let kobis, let area = market.area, !Market.areas.contains(where: { $0.area == area }) else { return }
        let today = KoreanDate(at: now)
        if areas.withLock({ $0.day }) != today {
            // Whatever the error is, the chart's own call meets it too and reports it.
            guard let list = try? await client.send(kobis.areas).value, !list.isEmpty else { return }
            areas.withLock { $0 = (today, Set(list.map(\.area))) }
        }
        guard !areas.withLock({ $0.known.contains(area) }) else { return }
        throw ContractError(.badRequest, "area \(area) does not exist; `marquee areas` lists them", field: "area")
    }

    /// Fetches the facts of a movie, and its poster, unless they are fresh in the log.
    private func movie(_ code: MovieCode, wantsPoster: Bool, fresh: [LoggedEvent]) async throws -> FetchResult {
        var result = FetchResult(logged: fresh)
        let movie: Movie
        if let known = fresh.first(where: { $0.topic == .movie(code) }) {
            movie = try known.data()
        } else {
            let reading = try await send(configuredKobis().movie(code))
            movie = reading.value
            result.add(reading) { .movie($0) }
            result.source = .upstream
        }
        guard wantsPoster, !fresh.contains(where: { $0.topic == .poster(code) }) else { return result }
        guard let posters else {
            result.problems.append(.missingKey(of: KakaoImageSearch.service, variable: "MARQUEE_KAKAO_KEY"))
            return result
        }
        result.source = .upstream
        let (choice, hasNamesake) = try await store.read { transaction in
            let connection = transaction.connection
            return (try PosterChoice(for: code, in: connection), try MovieTitles.hasNamesake(movie, in: connection))
        }
        do throws(UpstreamError) {
            if let url = choice.chosen {
                result.fetched.append(.poster(try await posters.poster(of: movie, chosenAt: url)))
            } else {
                let poster = try await posters.poster(of: movie, hasNamesake: hasNamesake, besides: choice.rejected)
                result.add(poster) { .poster($0) }
            }
        } catch {
            try await quota?.recordExhaustion(error)
            result.problems.append(try ContractError(error, at: runtime.wallClock.now()))
        }
        return result
    }

    private func send<Value>(_ endpoint: APICall<Value>) async throws -> Value {
        do {
            return try await client.send(endpoint)
        } catch {
            try await quota?.recordExhaustion(error)
            throw try ContractError(error, at: runtime.wallClock.now())
        }
    }
}

extension ContractError {
    fileprivate static func weekNotOver(_ week: Week, at now: Date) -> ContractError {
        let end = (week.lastDay + 1).start
        return ContractError(
            .notPublished, "the \(week.span.rawValue) \(week) is not over", field: "date",
            retryAfter: Int(end.timeIntervalSince(now).rounded(.up)))
    }

    fileprivate static func missingKey(of service: String, variable: String) -> ContractError {
        ContractError(
            .unauthorized, "no key for \(service) is configured: set \(variable)", upstream: Upstream(service: service))
    }
}

// MARK: - Results

/// What a fetcher found for a request, before it is compared with the log.
struct FetchResult: Sendable {
    enum Fact: Sendable {
        case chart(Chart)
        case weekChart(WeekChart)
        case movie(Movie)
        case poster(Poster)
        case productPage(ProductPage)
        case product(Product)
        case productRemoved(RemovedProduct)
    }

    var fetched: [Fact] = []
    var logged: [LoggedEvent] = []
    /// The errors of parts that could not be fetched.
    var problems: [ContractError] = []
    /// The optional fields that could not be read in the facts on these topics.
    var unreadable: [Topic: [UnreadableField]] = [:]

    /// When the upstream was asked, if that was after the request left the queue.
    var askedAt: Date?

    /// The source of the result: the log only if no upstream was asked.
    var source = RequestDone.Source.log
}

extension FetchResult {
    /// Makes the result of a fact that an upstream has just stated.
    init<Value>(_ reading: Reading<Value>, askedAt: Date? = nil, as fact: (Value) -> Fact) {
        self.init(askedAt: askedAt, source: .upstream)
        add(reading, as: fact)
    }

    mutating func add<Value>(_ reading: Reading<Value>, as fact: (Value) -> Fact) {
        let fact = fact(reading.value)
        fetched.append(fact)
        unreadable[fact.topic] = reading.unreadable
    }
}

extension FetchResult.Fact {
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

    func anomaly(of field: UnreadableField, readAt now: Date) -> Anomaly {
        var (subject, date) = ("the answer for \(topic)", KoreanDate(at: now))
        var (span, market): (Week.Span?, Market) = (nil, .all)
        switch self {
        case .chart(let chart):
            (subject, date, market) = ("the chart of \(chart.date)", chart.date, chart.market)
        case .weekChart(let chart):
            (subject, date) = ("the \(chart.week.span.rawValue) chart of \(chart.week)", chart.week.firstDay)
            (span, market) = (chart.week.span, chart.chart.market)
        case .movie, .poster, .productPage, .product, .productRemoved: break
        }
        var anomaly = Anomaly.unreadable(
            field.name, at: field.path, count: field.count, in: subject, of: date, span: span, market: market)
        if case .movie(let movie) = self { (anomaly.movieCode, anomaly.title) = (movie.code, movie.title) }
        if case .poster(let poster) = self { (anomaly.movieCode, anomaly.title) = (poster.code, poster.title) }
        return anomaly
    }

    /// Returns the event that states the fact, or nil if `known`, the newest event of its topic, states the same.
    func draft(after known: LoggedEvent?, foundBy accepted: AcceptedRequest) throws -> EventDraft? {
        func draft(_ data: [UInt8]) -> EventDraft {
            EventDraft(topic, correlationID: accepted.id, priority: accepted.request.priority, data: data)
        }
        func draft<Value: Codable & Equatable>(unlessKnown value: Value) throws -> EventDraft? {
            try known?.data(as: Value.self) == value ? nil : draft(JSON.encode(value))
        }
        switch self {
        case .chart(let chart):
            guard let known else { return draft(chart.json) }
            return try chart.revised(from: known.data()).map { draft($0.json) }
        case .weekChart(let chart):
            guard let known else { return draft(chart.json) }
            return try chart.revised(from: known.data()).map { draft($0.json) }
        case .movie(let movie): return try draft(unlessKnown: movie)
        case .poster(let poster):
            if let known, try known.data(as: Poster.self).statesSame(as: poster) { return nil }
            return draft(try JSON.encode(poster))
        case .productPage(let page): return try draft(unlessKnown: page)
        case .product(let product): return try draft(unlessKnown: product)
        case .productRemoved(let removed): return try known == nil ? draft(JSON.encode(removed)) : nil
        }
    }
}

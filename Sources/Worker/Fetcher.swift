import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import Networking
import Operations
import Upstreams

/// Finds the answer to a request: in the log if that is fresh, else at the upstreams.
///
/// It changes nothing; what it finds is written by the journal.
struct Fetcher: Sendable {
    let store: WorkerStore
    let client: HTTPClient
    let kobis: Kobis?
    let posters: PosterFinder?
    let quota: QuotaLedger?
    let clock: WallClock
    /// What asks the shop, and what orders there; nil if there is none.
    var products: (fetcher: ProductFetcher, clerk: ProductOrderExecutor)?
    private let areas = AreaValidator()

    /// Finds the answer, or throws the `ContractError` that says why there is none.
    func result(for accepted: AcceptedRequest, asOf now: Date) async throws -> FetchResult {
        let request = accepted.request
        if let known = try await store.answer(to: accepted, at: now) { return known }
        return switch request.target {
        case .day(let date, let market): try await chart(of: date, in: market, asOf: now)
        case .week(let week, let market): try await chart(of: week, in: market, asOf: now)
        case .movie(let code, let wantsPoster):
            try await movie(code, wantsPoster: wantsPoster, refresh: request.refresh, asOf: now)
        case .products(let question):
            try await shopFloor().fetcher.result(for: question, refresh: request.refresh, asOf: now)
        case .productOrder(let order):
            try await shopFloor().clerk.result(for: order, of: accepted.id)
        }
    }

    private func shopFloor() throws(ContractError) -> (fetcher: ProductFetcher, clerk: ProductOrderExecutor) {
        guard let products else {
            throw ContractError(
                .unauthorized, "no Open Market is configured: set MARQUEE_OPENMARKET_URL",
                upstream: ContractError.Upstream(service: OpenMarketAPI.service))
        }
        return products
    }

    private func chart(of date: KoreanDate, in market: Market, asOf now: Date) async throws -> FetchResult {
        let state = Chart.state(of: date, at: now)
        guard let kobis else { throw ContractError.noKey(of: Kobis.service, variable: "MARQUEE_KOBIS_KEY") }
        try await checkArea(of: market, at: now)
        let entries = try await ask(kobis.dailyChart(date, market: market))
        let chart = Chart(date: date, market: market, state: state, entries: entries)
        return FetchResult(fetched: [.chart(chart)], source: .upstream)
    }

    private func chart(of week: Week, in market: Market, asOf now: Date) async throws -> FetchResult {
        // See docs/decisions/0008-unfinished-weeks.md.
        // What the source would say of some of the days would be read as the figures of them all.
        guard week.lastDay <= .yesterday(at: now) else { throw ContractError.notOver(week, at: now) }
        let state = Chart.state(of: week.lastDay, at: now)
        guard let kobis else { throw ContractError.noKey(of: Kobis.service, variable: "MARQUEE_KOBIS_KEY") }
        try await checkArea(of: market, at: now)
        let figures = try await ask(kobis.weeklyChart(week, market: market))
        let chart = WeekChart(
            week: week, yearWeek: figures.yearWeek, market: market, state: state, entries: figures.entries)
        return FetchResult(fetched: [.weekChart(chart)], source: .upstream)
    }

    /// Throws the failure of a chart of an area that there is not.
    private func checkArea(of market: Market, at now: Date) async throws {
        guard let kobis, let area = market.area else { return }
        guard await areas.refuses(area, at: now, ask: { try await client.send(kobis.areas) }) else { return }
        throw ContractError(.badRequest, "there is no area \(area); `marquee areas` lists them", field: "area")
    }

    private func movie(
        _ code: MovieCode, wantsPoster: Bool, refresh: Bool, asOf now: Date
    ) async throws -> FetchResult {
        var result = FetchResult()
        let movie: Movie
        if !refresh, let known = try await store.known(.movie(code)),
            known.isFresh(for: Freshness.movie, at: now)
        {
            movie = try known.event.data()
            result.logged.append(known.event)
        } else {
            guard let kobis else { throw ContractError.noKey(of: Kobis.service, variable: "MARQUEE_KOBIS_KEY") }
            movie = try await ask(kobis.movie(code))
            result.fetched.append(.movie(movie))
            result.source = .upstream
        }
        guard wantsPoster else { return result }
        if !refresh, let known = try await store.known(.poster(code)),
            known.isFresh(for: Freshness.movie, at: now)
        {
            result.logged.append(known.event)
            return result
        }
        guard let posters else {
            result.problems.append(.noKey(of: KakaoImageSearch.service, variable: "MARQUEE_KAKAO_KEY"))
            return result
        }
        result.source = .upstream
        do throws(UpstreamError) {
            result.fetched.append(.poster(try await posters.poster(for: code, title: movie.title)))
        } catch {
            try await quota?.note(error)
            result.problems.append(try ContractError(error, at: clock.now()))
        }
        return result
    }

    private func ask<Value>(_ endpoint: Endpoint<Value>) async throws -> Value {
        do {
            return try await client.send(endpoint)
        } catch {
            try await quota?.note(error)
            throw try ContractError(error, at: clock.now())
        }
    }
}

extension ContractError {
    /// What a client is told who asks for a week before its end.
    fileprivate static func notOver(_ week: Week, at now: Date) -> ContractError {
        let end = (week.lastDay + 1).start
        return ContractError(
            .notPublished, "the \(week.span.rawValue) \(week) is not over", field: "date",
            retryAfter: Int(end.timeIntervalSince(now).rounded(.up)))
    }

    /// What a client is told where the operator has set no key.
    fileprivate static func noKey(of service: String, variable: String) -> ContractError {
        ContractError(.unauthorized, "no key is configured: set \(variable)", upstream: Upstream(service: service))
    }
}

import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import Networking
import Operations
import Upstreams

/// Finds the answer to a request: in the log if that is fresh, otherwise at the upstreams.
///
/// It writes nothing; ``SettlementStore`` writes what it finds.
struct Fetcher: Sendable {
    let store: WorkerStore
    let client: HTTPClient
    let kobis: Kobis?
    let posters: PosterSearch?
    let quota: QuotaLedger?
    let wallClock: WallClock
    let logger: Logger
    /// The Open Market, if one is configured.
    var configuredMarket: OpenMarketHandlers?
    private let areaValidator = AreaValidator()

    /// Returns the answer to a request.
    ///
    /// - Parameters:
    ///   - accepted: The request.
    ///   - now: The time that the answer's freshness and the charts' states are judged by.
    /// - Throws: The `ContractError` that the request fails with, `DatabaseError` or `CancellationError`.
    func result(for accepted: AcceptedRequest, asOf now: Date) async throws -> FetchResult {
        let request = accepted.request
        if let known = try await store.answer(to: accepted, at: now) { return known }
        return switch request.target {
        case .day(let date, let market): try await chart(of: date, in: market, asOf: now)
        case .week(let week, let market): try await chart(of: week, in: market, asOf: now)
        case .movie(let code, let wantsPoster):
            try await movie(code, wantsPoster: wantsPoster, refresh: request.refresh, asOf: now)
        case .products(let query):
            try await openMarket().fetcher.result(for: query, refresh: request.refresh, asOf: now)
        case .productOrder(let order):
            try await openMarket().executor.result(for: order, of: accepted.id)
        }
    }

    private func openMarket() throws(ContractError) -> OpenMarketHandlers {
        guard let configuredMarket else {
            throw ContractError(
                .unauthorized, "no Open Market is configured: set MARQUEE_OPENMARKET_URL",
                upstream: ContractError.Upstream(service: OpenMarketAPI.service))
        }
        return configuredMarket
    }

    private func chart(of date: KoreanDate, in market: Market, asOf now: Date) async throws -> FetchResult {
        let state = Chart.state(of: date, at: now)
        guard let kobis else { throw ContractError.missingKey(of: Kobis.service, variable: "MARQUEE_KOBIS_KEY") }
        try await checkArea(of: market, at: now)
        var result = FetchResult(source: .upstream)
        result.add(try await send(kobis.dailyChart(date, market: market))) { entries in
            .chart(Chart(date: date, market: market, state: state, entries: entries))
        }
        return result
    }

    private func chart(of week: Week, in market: Market, asOf now: Date) async throws -> FetchResult {
        // KOBIS would answer with the figures of the days so far, which would be read as those of the whole week.
        guard week.lastDay <= .yesterday(at: now) else { throw ContractError.weekNotOver(week, at: now) }
        let state = Chart.state(of: week.lastDay, at: now)
        guard let kobis else { throw ContractError.missingKey(of: Kobis.service, variable: "MARQUEE_KOBIS_KEY") }
        try await checkArea(of: market, at: now)
        var result = FetchResult(source: .upstream)
        result.add(try await send(kobis.weeklyChart(week, market: market))) { figures in
            .weekChart(
                WeekChart(
                    week: week, yearWeek: figures.yearWeek, market: market, state: state, entries: figures.entries))
        }
        return result
    }

    /// Throws `badRequest` if the market is an area that does not exist.
    private func checkArea(of market: Market, at now: Date) async throws {
        guard let kobis, let area = market.area else { return }
        let isRejected = await areaValidator.rejects(area, at: now) {
            let reading = try await client.send(kobis.areas)
            for field in reading.unreadable {
                logger.warning(
                    "a part of the list of areas cannot be read and is left out",
                    [.service: Kobis.service, .field: field.path, .count: field.count])
            }
            return reading.value
        }
        guard isRejected else { return }
        throw ContractError(.badRequest, "area \(area) does not exist; `marquee areas` lists them", field: "area")
    }

    private func movie(
        _ code: MovieCode, wantsPoster: Bool, refresh: Bool, asOf now: Date
    ) async throws -> FetchResult {
        var result = FetchResult()
        let movie: Movie
        if !refresh, let known = try await store.read({ try AnswerStore($0).freshMovie(code, at: now) }) {
            movie = try known.data()
            result.logged.append(known)
        } else {
            guard let kobis else { throw ContractError.missingKey(of: Kobis.service, variable: "MARQUEE_KOBIS_KEY") }
            let reading = try await send(kobis.movie(code))
            movie = reading.value
            result.add(reading) { .movie($0) }
            result.source = .upstream
        }
        guard wantsPoster else { return result }
        if !refresh, let known = try await store.read({ try AnswerStore($0).freshPoster(of: code, at: now) }) {
            result.logged.append(known)
            return result
        }
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
            result.problems.append(try ContractError(error, at: wallClock.now()))
        }
        return result
    }

    private func send<Value>(_ endpoint: Endpoint<Value>) async throws -> Value {
        do {
            return try await client.send(endpoint)
        } catch {
            try await quota?.recordExhaustion(error)
            throw try ContractError(error, at: wallClock.now())
        }
    }
}

extension ContractError {
    /// The error for a week that has not ended.
    fileprivate static func weekNotOver(_ week: Week, at now: Date) -> ContractError {
        let end = (week.lastDay + 1).start
        return ContractError(
            .notPublished, "the \(week.span.rawValue) \(week) is not over", field: "date",
            retryAfter: Int(end.timeIntervalSince(now).rounded(.up)))
    }

    /// The error for a service without a configured key.
    fileprivate static func missingKey(of service: String, variable: String) -> ContractError {
        ContractError(
            .unauthorized, "no key for \(service) is configured: set \(variable)", upstream: Upstream(service: service))
    }
}

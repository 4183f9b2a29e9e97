import BoxOffice
import Events
import FoundationEssentials
import Networking
import Operations
import Upstreams

/// Finds the answer to a request: in the log if that is fresh, else at the upstreams.
///
/// It changes nothing; what it finds is written by the journal.
struct Fetcher: Sendable {
    let journal: Journal
    let client: HTTPClient
    let kobis: Kobis?
    let posters: PosterFinder?
    let quota: QuotaLedger?
    let clock: WallClock
    /// What asks the shop, and what orders there; nil if there is none.
    var products: (fetcher: ProductFetcher, clerk: ProductClerk)?
    private let areas = AreaCheck()

    /// Finds the answer, or throws the `Failure` that says why there is none.
    func findings(for accepted: AcceptedRequest, asOf now: Date) async throws -> Findings {
        let request = accepted.request
        if let known = try await journal.answer(to: accepted, at: now) { return known }
        return switch request.target {
        case .day(let date, let market): try await chart(of: date, in: market, asOf: now)
        case .week(let week, let market): try await chart(of: week, in: market, asOf: now)
        case .movie(let code, let wantsPoster):
            try await movie(code, wantsPoster: wantsPoster, refresh: request.refresh, asOf: now)
        case .products(let question):
            try await shopFloor().fetcher.findings(for: question, refresh: request.refresh, asOf: now)
        case .productOrder(let order):
            try await shopFloor().clerk.findings(for: order, of: accepted.id)
        }
    }

    private func shopFloor() throws(Failure) -> (fetcher: ProductFetcher, clerk: ProductClerk) {
        guard let products else {
            throw Failure(
                .unauthorized, "no Open Market is configured: set MARQUEE_OPENMARKET_URL",
                upstream: Failure.Upstream(service: OpenMarketAPI.service))
        }
        return products
    }

    private func chart(of date: KoreanDate, in market: Market, asOf now: Date) async throws -> Findings {
        let state = Chart.state(of: date, at: now)
        guard let kobis else { throw Failure.noKey(of: Kobis.service, variable: "MARQUEE_KOBIS_KEY") }
        try await checkArea(of: market, at: now)
        let entries = try await ask(kobis.dailyChart(date, market: market))
        let chart = Chart(date: date, market: market, state: state, entries: entries)
        return Findings(fetched: [.chart(chart)], source: .upstream)
    }

    private func chart(of week: Week, in market: Market, asOf now: Date) async throws -> Findings {
        // See docs/decisions/0008-unfinished-weeks.md.
        // What the source would say of some of the days would be read as the figures of them all.
        guard week.lastDay <= .yesterday(at: now) else { throw Failure.notOver(week, at: now) }
        let state = Chart.state(of: week.lastDay, at: now)
        guard let kobis else { throw Failure.noKey(of: Kobis.service, variable: "MARQUEE_KOBIS_KEY") }
        try await checkArea(of: market, at: now)
        let figures = try await ask(kobis.weeklyChart(week, market: market))
        let chart = WeekChart(
            week: week, yearWeek: figures.yearWeek, market: market, state: state, entries: figures.entries)
        return Findings(fetched: [.weekChart(chart)], source: .upstream)
    }

    /// Throws the failure of a chart of an area that there is not.
    private func checkArea(of market: Market, at now: Date) async throws {
        guard let kobis, let area = market.area else { return }
        guard await areas.refuses(area, at: now, ask: { try await client.send(kobis.areas) }) else { return }
        throw Failure(.badRequest, "there is no area \(area); `marquee areas` lists them", field: "area")
    }

    private func movie(
        _ code: MovieCode, wantsPoster: Bool, refresh: Bool, asOf now: Date
    ) async throws -> Findings {
        var findings = Findings()
        let movie: Movie
        if !refresh, let known = try await journal.known(.movie(code)),
            known.isFresh(for: Freshness.movie, at: now)
        {
            movie = try known.event.data()
            findings.logged.append(known.event)
        } else {
            guard let kobis else { throw Failure.noKey(of: Kobis.service, variable: "MARQUEE_KOBIS_KEY") }
            movie = try await ask(kobis.movie(code))
            findings.fetched.append(.movie(movie))
            findings.source = .upstream
        }
        guard wantsPoster else { return findings }
        if !refresh, let known = try await journal.known(.poster(code)),
            known.isFresh(for: Freshness.movie, at: now)
        {
            findings.logged.append(known.event)
            return findings
        }
        guard let posters else {
            findings.problems.append(.noKey(of: KakaoImageSearch.service, variable: "MARQUEE_KAKAO_KEY"))
            return findings
        }
        findings.source = .upstream
        do throws(UpstreamError) {
            findings.fetched.append(.poster(try await posters.poster(for: code, title: movie.title)))
        } catch {
            try await quota?.note(error)
            findings.problems.append(try Failure(error, at: clock.now()))
        }
        return findings
    }

    private func ask<Value>(_ endpoint: Endpoint<Value>) async throws -> Value {
        do {
            return try await client.send(endpoint)
        } catch {
            try await quota?.note(error)
            throw try Failure(error, at: clock.now())
        }
    }
}

extension Failure {
    /// What a client is told who asks for a week before its end.
    fileprivate static func notOver(_ week: Week, at now: Date) -> Failure {
        let end = (week.lastDay + 1).start
        return Failure(
            .notPublished, "the \(week.span.rawValue) \(week) is not over", field: "date",
            retryAfter: Int(end.timeIntervalSince(now).rounded(.up)))
    }

    /// What a client is told where the operator has set no key.
    fileprivate static func noKey(of service: String, variable: String) -> Failure {
        Failure(.unauthorized, "no key is configured: set \(variable)", upstream: Upstream(service: service))
    }
}

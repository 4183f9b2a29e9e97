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
    /// How long an answer from the log counts as fresh.
    enum Freshness {
        /// A day's chart whose figures may still be corrected.
        static let provisionalChart: TimeInterval = 10 * 60
        /// Facts and posters, which change seldom.
        static let movie: TimeInterval = 7 * 86_400
    }

    let journal: Journal
    let client: HTTPClient
    let kobis: Kobis?
    let posters: PosterFinder?
    let clock: WallClock

    /// Finds the answer, or throws the `Failure` that says why there is none.
    func findings(for request: Request, asOf now: Date) async throws -> Findings {
        switch request.target {
        case .day(let date, let market):
            try await chart(of: date, in: market, refresh: request.refresh, asOf: now)
        case .movie(let code, let wantsPoster):
            try await movie(code, wantsPoster: wantsPoster, refresh: request.refresh, asOf: now)
        }
    }

    private func chart(of date: KoreanDate, in market: Market, refresh: Bool, asOf now: Date) async throws -> Findings {
        let state = Chart.state(of: date, at: now)
        if !refresh, let known = try await journal.known(.ranking(day: date, market: market), as: Chart.self) {
            let isSettled = known.value.state == .settled
            let isRecent = state == .provisional && known.isFresh(for: Freshness.provisionalChart, at: now)
            if isSettled || isRecent { return Findings(logged: [known.event]) }
        }
        guard let kobis else { throw Failure.noKey(of: Kobis.service, variable: "MARQUEE_KOBIS_KEY") }
        let entries = try await ask(kobis.dailyChart(date, market: market))
        let chart = Chart(date: date, market: market, state: state, entries: entries)
        return Findings(fetched: [.chart(chart)], source: .upstream)
    }

    private func movie(
        _ code: MovieCode, wantsPoster: Bool, refresh: Bool, asOf now: Date
    ) async throws -> Findings {
        var findings = Findings()
        let movie: Movie
        if !refresh, let known = try await journal.known(.movie(code), as: Movie.self),
            known.isFresh(for: Freshness.movie, at: now)
        {
            movie = known.value
            findings.logged.append(known.event)
        } else {
            guard let kobis else { throw Failure.noKey(of: Kobis.service, variable: "MARQUEE_KOBIS_KEY") }
            movie = try await ask(kobis.movie(code))
            findings.fetched.append(.movie(movie))
            findings.source = .upstream
        }
        guard wantsPoster else { return findings }
        if !refresh, let known = try await journal.known(.poster(code), as: Poster.self),
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
            findings.problems.append(try Failure(error, at: clock.now()))
        }
        return findings
    }

    private func ask<Value>(_ endpoint: Endpoint<Value>) async throws -> Value {
        do {
            return try await client.send(endpoint)
        } catch {
            throw try Failure(error, at: clock.now())
        }
    }
}

extension Failure {
    /// What a client is told where the operator has set no key.
    fileprivate static func noKey(of service: String, variable: String) -> Failure {
        Failure(.unauthorized, "no key is configured: set \(variable)", upstream: Upstream(service: service))
    }
}

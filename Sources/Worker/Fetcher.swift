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

    /// Finds the answer, or the reason why there is none.
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
            let isRecent = state == .provisional && known.age(at: now) < Freshness.provisionalChart
            if isSettled || isRecent { return Findings(logged: [known.event]) }
        }
        guard let kobis else { throw Failure.noKey(of: Kobis.service, variable: "MARQUEE_KOBIS_KEY") }
        let entries = try await ask(kobis.dailyChart(date, market: market))
        return Findings(fetched: [.chart(Chart(date: date, market: market, state: state, entries: entries))])
    }

    private func movie(
        _ code: MovieCode, wantsPoster: Bool, refresh: Bool, asOf now: Date
    ) async throws -> Findings {
        var findings = Findings()
        let movie: Movie
        if !refresh, let known = try await journal.known(.movie(code), as: Movie.self),
            known.age(at: now) < Freshness.movie
        {
            movie = known.value
            findings.logged.append(known.event)
        } else {
            guard let kobis else { throw Failure.noKey(of: Kobis.service, variable: "MARQUEE_KOBIS_KEY") }
            movie = try await ask(kobis.movie(code))
            findings.fetched.append(.movie(movie))
        }
        guard wantsPoster else { return findings }
        if !refresh, let known = try await journal.known(.poster(code), as: Poster.self),
            known.age(at: now) < Freshness.movie
        {
            findings.logged.append(known.event)
            return findings
        }
        guard let posters else {
            findings.problems.append(.noKey(of: KakaoImageSearch.service, variable: "MARQUEE_KAKAO_KEY"))
            return findings
        }
        do throws(UpstreamError) {
            findings.fetched.append(.poster(try await posters.poster(for: code, title: movie.title)))
        } catch {
            findings.problems.append(Failure(error, at: clock.now()))
        }
        return findings
    }

    private func ask<Value>(_ endpoint: Endpoint<Value>) async throws(Failure) -> Value {
        do {
            return try await client.send(endpoint)
        } catch {
            throw Failure(error, at: clock.now())
        }
    }
}

extension Failure {
    /// What a client is told where the operator has set no key.
    fileprivate static func noKey(of service: String, variable: String) -> Failure {
        Failure(.unauthorized, "no key is configured: set \(variable)", upstream: Upstream(service: service))
    }
}

public import BoxOffice
public import FoundationEssentials
import JSONCoding
public import Networking

/// The open API of the Korean Film Council (KOBIS): daily and weekly charts, and facts about movies.
///
/// It makes requests and reads responses into domain types but sends nothing itself. KOBIS's peculiarities, such as
/// errors with status 200 and blank figures, are handled here.
public struct Kobis: Sendable {
    /// The service's name in errors and in the quota ledger.
    public static let service = "kobis"

    private let url: String
    private let key: HTTPField
    private let now: @Sendable () -> Date

    /// Creates the API.
    ///
    /// - Parameters:
    /// - url: The base URL, without the group of a call.
    /// - key: The API key.
    /// - now: The current date, from which the time to the next day's quota follows.
    public init(url: String, key: String, now: @escaping @Sendable () -> Date = { Date() }) {
        self.url = url
        self.key = HTTPField("key", key, isSecret: true)
        self.now = now
    }

    /// Returns the endpoint of a day's chart: at most ten entries in KOBIS's order.
    ///
    /// Its response without entries is the error `notPublished`: the day has no figures, or none yet.
    public func dailyChart(_ date: KoreanDate, market: Market) -> Endpoint<Reading<[ChartEntry]>> {
        let query = [HTTPField("targetDt", date.compact)] + market.filters
        return endpoint("boxoffice/searchDailyBoxOfficeList", query) {
            (reply: KobisDailyChart) throws(UpstreamError) in
            try Self.check(reply.entries, about: reply.range, from: date, to: date)
            return Reading(value: reply.entries, unreadable: reply.unreadable)
        }
    }

    /// Returns the endpoint of a week's chart, with changes against the week before; otherwise like a day's.
    public func weeklyChart(_ week: Week, market: Market) -> Endpoint<Reading<WeeklyFigures>> {
        let query = [HTTPField("targetDt", week.firstDay.compact), HTTPField("weekGb", week.span.weekGb)]
        return endpoint("boxoffice/searchWeeklyBoxOfficeList", query + market.filters) {
            (reply: KobisWeeklyChart) throws(UpstreamError) in
            try Self.check(reply.entries, about: reply.range, from: week.firstDay, to: week.lastDay)
            let figures = WeeklyFigures(yearWeek: reply.yearWeek, entries: reply.entries)
            return Reading(value: figures, unreadable: reply.unreadable)
        }
    }

    /// The endpoint of the list of areas that charts can be requested for.
    public var areas: Endpoint<Reading<[Market.NamedArea]>> {
        endpoint("code/searchCodeList", [HTTPField("comCode", "0105000000")]) { (reply: KobisCodes) in
            Reading(value: reply.areas, unreadable: reply.unreadable)
        }
    }

    /// Returns the endpoint of a movie's facts; a code that KOBIS does not know is the error `notFound`.
    public func movie(_ code: MovieCode) -> Endpoint<Reading<Movie>> {
        endpoint("movie/searchMovieInfo", [HTTPField("movieCd", "\(code)")]) {
            (reply: KobisMovie) throws(UpstreamError) in
            guard let movie = reply.movie else {
                throw UpstreamError(
                    service: Self.service, kind: .notFound, message: "there is no movie with the code \(code)",
                    status: 200)
            }
            guard movie.code == code else {
                throw UpstreamError(
                    service: Self.service, kind: .invalid, message: "the service answered with the movie \(movie.code)",
                    status: 200, field: "movieInfo.movieCd")
            }
            return Reading(value: movie, unreadable: reply.unreadable)
        }
    }

    /// Throws if a chart has no entries, or states other days than those requested.
    private static func check(
        _ entries: [ChartEntry], about range: String?, from first: KoreanDate, to last: KoreanDate
    ) throws(UpstreamError) {
        guard !entries.isEmpty else {
            let days = first == last ? "\(first)" : "\(first) to \(last)"
            throw UpstreamError(
                service: service, kind: .notPublished, message: "there are no figures for \(days)", status: 200)
        }
        if let range, range != "\(first.compact)~\(last.compact)" {
            throw UpstreamError(
                service: service, kind: .invalid, message: "the service answered with the chart for \(range)",
                status: 200,
                field: "showRange")
        }
    }

    private func endpoint<Reply: JSONReadable & SendableMetatype, Value: Sendable>(
        _ call: String, _ query: [HTTPField], read: @escaping @Sendable (Reply) throws(UpstreamError) -> Value
    ) -> Endpoint<Value> {
        let request = HTTPRequest("\(url)/\(call).json", query: [key] + query)
        return Endpoint(service: Self.service, request: request) { [now] response throws(UpstreamError) in
            try read(KobisReply<Reply>.read(response, at: now()))
        }
    }
}

// MARK: - Parameters

extension Week.Span {
    /// The span as KOBIS's parameter.
    fileprivate var weekGb: String {
        switch self {
        case .week: "0"
        case .weekend: "1"
        case .weekdays: "2"
        }
    }
}

extension Market {
    /// The filters as KOBIS's parameters.
    fileprivate var filters: [HTTPField] {
        [
            nation.map { HTTPField("repNationCd", $0.rawValue) },
            films.map { HTTPField("multiMovieYn", $0 == .diverse ? "Y" : "N") },
            area.map { HTTPField("wideAreaCd", "\($0)") },
        ].compactMap(\.self)
    }
}

/// KOBIS's figures of a week.
public struct WeeklyFigures: Hashable, Sendable {
    /// The year and week number as KOBIS counts them, such as `202423`.
    public let yearWeek: String?
    /// The entries, at most ten, in KOBIS's order.
    public let entries: [ChartEntry]
}

public import BoxOffice
public import FoundationEssentials
import JSONCoding
public import Networking

/// The Korean Film Council's open API: daily and weekly charts and facts about films.
///
/// It says what to ask and reads the answers into the domain's words; it sends nothing itself. Faults that come with
/// status 200, blank figures and the council's other habits end here.
public struct Kobis: Sendable {
    /// What errors and the quota ledger call it.
    public static let service = "kobis"

    private let url: String
    private let key: HTTPField
    private let now: @Sendable () -> Date

    /// Makes the API at `url` (up to and without the group of calls), asked with `key`; `now` tells when the day ends.
    public init(url: String, key: String, now: @escaping @Sendable () -> Date = { Date() }) {
        self.url = url
        self.key = HTTPField("key", key, isSecret: true)
        self.now = now
    }

    /// The chart of a day: at most ten lines in the council's order.
    ///
    /// A list without lines is `notPublished`: the day has no figures, or none yet.
    public func dailyChart(_ date: KoreanDate, market: Market) -> Endpoint<[ChartEntry]> {
        let query = [HTTPField("targetDt", date.compact)] + market.filters
        return endpoint("boxoffice/searchDailyBoxOfficeList", query) {
            (answer: KobisDailyChart) throws(UpstreamError) in
            try Self.check(answer.entries, about: answer.range, from: date, to: date)
            return answer.entries
        }
    }

    /// The chart of a week: as a day's, with changes against the week before.
    public func weeklyChart(_ week: Week, market: Market) -> Endpoint<WeeklyFigures> {
        let query = [HTTPField("targetDt", week.firstDay.compact), HTTPField("weekGb", week.span.weekGb)]
        return endpoint("boxoffice/searchWeeklyBoxOfficeList", query + market.filters) {
            (answer: KobisWeeklyChart) throws(UpstreamError) in
            try Self.check(answer.entries, about: answer.range, from: week.firstDay, to: week.lastDay)
            return WeeklyFigures(yearWeek: answer.yearWeek, entries: answer.entries)
        }
    }

    /// The areas that charts can be asked for.
    public var areas: Endpoint<[Market.NamedArea]> {
        endpoint("code/searchCodeList", [HTTPField("comCode", "0105000000")]) { (answer: KobisCodes) in answer.areas }
    }

    /// The facts about a film; a code that the council does not know is `notFound`.
    public func movie(_ code: MovieCode) -> Endpoint<Movie> {
        endpoint("movie/searchMovieInfo", [HTTPField("movieCd", "\(code)")]) {
            (answer: KobisMovie) throws(UpstreamError) in
            guard let movie = answer.movie else {
                throw UpstreamError(
                    service: Self.service, kind: .notFound, message: "there is no film \(code)", status: 200)
            }
            guard movie.code == code else {
                throw UpstreamError(
                    service: Self.service, kind: .invalid, message: "answered with the film \(movie.code)",
                    status: 200, field: "movieInfo.movieCd")
            }
            return movie
        }
    }

    /// Checks that a chart has lines, and is of the days that were asked for if the answer says which those are.
    private static func check(
        _ entries: [ChartEntry], about range: String?, from first: KoreanDate, to last: KoreanDate
    ) throws(UpstreamError) {
        guard !entries.isEmpty else {
            let days = first == last ? "\(first)" : "\(first) to \(last)"
            throw UpstreamError(
                service: service, kind: .notPublished, message: "there are no figures of \(days)", status: 200)
        }
        if let range, range != "\(first.compact)~\(last.compact)" {
            throw UpstreamError(
                service: service, kind: .invalid, message: "answered with the chart of \(range)", status: 200,
                field: "showRange")
        }
    }

    private func endpoint<Answer: JSONReadable & SendableMetatype, Value: Sendable>(
        _ call: String, _ query: [HTTPField], read: @escaping @Sendable (Answer) throws(UpstreamError) -> Value
    ) -> Endpoint<Value> {
        let request = HTTPRequest("\(url)/\(call).json", query: [key] + query)
        return Endpoint(service: Self.service, request: request) { [now] response throws(UpstreamError) in
            try read(KobisReply<Answer>.read(response, at: now()))
        }
    }
}

extension Week.Span {
    /// The span as the council's parameter.
    fileprivate var weekGb: String {
        switch self {
        case .week: "0"
        case .weekend: "1"
        case .weekdays: "2"
        }
    }
}

extension Market {
    /// The filters as the council's parameters.
    fileprivate var filters: [HTTPField] {
        [
            nation.map { HTTPField("repNationCd", $0.rawValue) },
            films.map { HTTPField("multiMovieYn", $0 == .diverse ? "Y" : "N") },
            area.map { HTTPField("wideAreaCd", "\($0)") },
        ].compactMap(\.self)
    }
}

public import BoxOffice
public import FoundationEssentials
import JSONCoding
public import Networking
import Text

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

    /// Creates the API at a base URL, which is without the group of a call; the time to the next day's quota follows
    /// from `now`.
    public init(url: String, key: String, now: @escaping @Sendable () -> Date = { Date() }) {
        self.url = url
        self.key = HTTPField("key", key, isSecret: true)
        self.now = now
    }

    /// Returns the endpoint of a day's chart: at most ten entries in KOBIS's order.
    ///
    /// Its response without entries is the error `notPublished`: the day has no figures, or none yet.
    public func dailyChart(_ date: KoreanDate, market: Market) -> APICall<Reading<[ChartEntry]>> {
        let query = [HTTPField("targetDt", date.compact)] + market.filters
        return endpoint("boxoffice/searchDailyBoxOfficeList", query) { json, unreadable throws(DecodingError) in
            let chart = try KobisChart(json, list: "dailyBoxOfficeList", unreadable)
            return Self.checked(chart, from: date, to: date).map(\.entries)
        }
    }

    /// Returns the endpoint of a week's chart, with changes against the week before; otherwise like a day's.
    public func weeklyChart(_ week: Week, market: Market) -> APICall<Reading<WeeklyFigures>> {
        let query = [HTTPField("targetDt", week.firstDay.compact), HTTPField("weekGb", week.span.weekGb)]
        return endpoint("boxoffice/searchWeeklyBoxOfficeList", query + market.filters) {
            json, unreadable throws(DecodingError) in
            let chart = try KobisChart(json, list: "weeklyBoxOfficeList", unreadable)
            return Self.checked(chart, from: week.firstDay, to: week.lastDay)
                .map { WeeklyFigures(yearWeek: $0.yearWeek, entries: $0.entries) }
        }
    }

    /// The endpoint of the list of areas that charts can be requested for.
    public var areas: APICall<Reading<[Market.NamedArea]>> {
        endpoint("code/searchCodeList", [HTTPField("comCode", "0105000000")], wrappers: 0) {
            json, unreadable throws(DecodingError) in
            .success(try json.areas(unreadable))
        }
    }

    /// Returns the endpoint of a movie's facts; a code that KOBIS does not know is the error `notFound`.
    public func movie(_ code: MovieCode) -> APICall<Reading<Movie>> {
        endpoint("movie/searchMovieInfo", [HTTPField("movieCd", "\(code)")]) {
            json, unreadable throws(DecodingError) in
            guard let movie = try json.movie(unreadable) else {
                return Self.failure(.notFound, "there is no movie with the code \(code)")
            }
            guard movie.code == code else {
                return Self.failure(
                    .invalid, "the service answered with the movie \(movie.code)", field: "movieInfo.movieCd")
            }
            return .success(movie)
        }
    }

    /// Returns the chart, or an error if it has no entries, or states other days than those requested.
    private static func checked(
        _ chart: KobisChart, from first: KoreanDate, to last: KoreanDate
    ) -> Result<KobisChart, UpstreamError> {
        guard !chart.entries.isEmpty else {
            let days = first == last ? "\(first)" : "\(first) to \(last)"
            return failure(.notPublished, "there are no figures for \(days)")
        }
        if let range = chart.range, range != "\(first.compact)~\(last.compact)" {
            return failure(.invalid, "the service answered with the chart for \(range)", field: "showRange")
        }
        return .success(chart)
    }

    private static func failure<Value>(
        _ kind: UpstreamError.Kind, _ message: String, field: String? = nil
    ) -> Result<Value, UpstreamError> {
        .failure(UpstreamError(service: service, kind: kind, message: message, status: 200, field: field))
    }

    /// Returns the endpoint of a call whose value `read` reads from a response with status 200 that is no error.
    private func endpoint<Value: Sendable>(
        _ call: String, _ query: [HTTPField], wrappers: Int = 1,
        read: @escaping @Sendable (JSONValue, UnreadableFields) throws(DecodingError) -> Result<Value, UpstreamError>
    ) -> APICall<Reading<Value>> {
        let request = HTTPRequest("\(url)/\(call).json", query: [key] + query)
        return APICall(service: Self.service, request: request) { [now] response throws(UpstreamError) in
            func failure(_ error: KobisErrorBody) -> UpstreamError {
                error.upstreamError(status: response.status, at: now())
            }
            if response.isXML, let error = KobisErrorBody(xml: String(decoding: response.body, as: UTF8.self)) {
                throw failure(error)
            }
            return try response.reading(of: Self.service, wrappers: wrappers) { json throws(DecodingError) in
                // Only the key tells an error, which has the status 200, from the requested body.
                for key in ["faultInfo", "faultResult"] {
                    if let error = try json[key] { return failure(KobisErrorBody(error)) }
                }
                return nil
            } value: { json, unreadable throws(DecodingError) in
                try read(json, unreadable)
            }
        }
    }
}

// MARK: - Quota

extension KoreanDate {
    /// Returns the time from `instant` to the next midnight in Korea, when the daily quotas of KOBIS and Kakao are
    /// assumed to renew.
    ///
    /// Neither service documents the time of renewal; both are Korean, and both limit requests per day.
    public static func timeToMidnight(at instant: Date) -> Duration {
        let seconds = (KoreanDate(at: instant) + 1).start.timeIntervalSince(instant)
        return .seconds(Int(seconds.rounded(.up)))  // Fits: a day at most.
    }
}

// MARK: - Parameters

extension Week.Span {
    fileprivate var weekGb: String {
        switch self {
        case .week: "0"
        case .weekend: "1"
        case .weekdays: "2"
        }
    }
}

extension Market {
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

// MARK: - Errors

/// An error body (`faultInfo` or `faultResult`).
struct KobisErrorBody {
    let code: String?
    let message: String

    /// Reads the fields that are present; the key above identifies the object as an error.
    init(_ json: JSONValue) {
        // A decoding error here would say no more than that the field is missing.
        code = (try? json["errorCode"]?.text().clean) ?? (try? json["errorCode"]?.integer()).map(String.init)
        message = (try? json["message"]?.text().clean) ?? "no reason given"
    }

    /// Reads an error in XML; nil if it has no code.
    init?(xml text: String) {
        func element(_ name: String) -> String? {
            guard let start = text.firstRange(of: "<\(name)>")?.upperBound,
                let end = text[start...].firstRange(of: "</\(name)>")?.lowerBound
            else { return nil }
            return String(text[start..<end]).clean
        }
        guard let code = element("errorCode") else { return nil }
        self.code = code
        message = element("message") ?? "no reason given"
    }

    /// The kind of error. KOBIS documents few codes; an unknown one makes the response `invalid`.
    var kind: UpstreamError.Kind {
        switch code {
        case "320010": .unauthorized
        case "320011": .quotaExhausted
        case .some(let code) where code.count == 6 && code.hasPrefix("3201"): .badRequest
        default: .invalid
        }
    }

    fileprivate func upstreamError(status: Int, at instant: Date) -> UpstreamError {
        UpstreamError(
            service: Kobis.service, kind: kind,
            message: "the service answered with the error \(code ?? "without a code"): \(message)",
            status: status, code: code,
            retryAfter: kind == .quotaExhausted ? KoreanDate.timeToMidnight(at: instant) : nil)
    }
}

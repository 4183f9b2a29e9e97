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
        return endpoint("boxoffice/searchDailyBoxOfficeList", query) {
            (reply: KobisDailyChart) throws(UpstreamError) in
            try Self.check(reply.entries, about: reply.range, from: date, to: date)
            return Reading(value: reply.entries, unreadable: reply.unreadable)
        }
    }

    /// Returns the endpoint of a week's chart, with changes against the week before; otherwise like a day's.
    public func weeklyChart(_ week: Week, market: Market) -> APICall<Reading<WeeklyFigures>> {
        let query = [HTTPField("targetDt", week.firstDay.compact), HTTPField("weekGb", week.span.weekGb)]
        return endpoint("boxoffice/searchWeeklyBoxOfficeList", query + market.filters) {
            (reply: KobisWeeklyChart) throws(UpstreamError) in
            try Self.check(reply.entries, about: reply.range, from: week.firstDay, to: week.lastDay)
            let figures = WeeklyFigures(yearWeek: reply.yearWeek, entries: reply.entries)
            return Reading(value: figures, unreadable: reply.unreadable)
        }
    }

    /// The endpoint of the list of areas that charts can be requested for.
    public var areas: APICall<Reading<[Market.NamedArea]>> {
        endpoint("code/searchCodeList", [HTTPField("comCode", "0105000000")]) { (reply: KobisCodes) in
            Reading(value: reply.areas, unreadable: reply.unreadable)
        }
    }

    /// Returns the endpoint of a movie's facts; a code that KOBIS does not know is the error `notFound`.
    public func movie(_ code: MovieCode) -> APICall<Reading<Movie>> {
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
                status: 200, field: "showRange")
        }
    }

    private func endpoint<Reply: JSONReadable & SendableMetatype, Value: Sendable>(
        _ call: String, _ query: [HTTPField], read: @escaping @Sendable (Reply) throws(UpstreamError) -> Value
    ) -> APICall<Value> {
        let request = HTTPRequest("\(url)/\(call).json", query: [key] + query)
        return APICall(service: Self.service, request: request) { [now] response throws(UpstreamError) in
            try read(KobisReply<Reply>.read(response, at: now()))
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

// MARK: - Replies

/// A response of KOBIS with status 200: the requested body, or an error.
///
/// Only the top-level key distinguishes the two, so the error is tried first.
enum KobisReply<Body: JSONReadable>: JSONReadable {
    case error(KobisErrorBody)
    case body(Body)

    init(json: JSONValue) throws(DecodingError) {
        for key in ["faultInfo", "faultResult"] {
            guard let error = try json[key] else { continue }
            self = .error(KobisErrorBody(error))
            return
        }
        self = .body(try Body(json: json))
    }

    /// Reads a response of any status.
    static func read(_ response: HTTPResponse, at instant: Date) throws(UpstreamError) -> Body {
        let failure = response.failure(of: Kobis.service, hasFixedPaths: true)
        let reply: KobisReply
        if response.isXML, let error = KobisErrorBody(xml: String(decoding: response.body, as: UTF8.self)) {
            throw error.upstreamError(status: response.status, at: instant)
        }
        do {
            reply = try response.decode(of: Kobis.service)
        } catch {
            // A notice is maintenance whatever its status; an error status does not need a readable body.
            throw error.kind == .invalid ? failure ?? error.withoutWrapper : error
        }
        switch reply {
        case .error(let reply): throw reply.upstreamError(status: response.status, at: instant)
        case .body(let body):
            if let failure { throw failure }
            return body
        }
    }
}

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

extension UpstreamError {
    /// The error with its field relative to the one key that wraps every response: `dailyBoxOfficeList[3].audiCnt`.
    fileprivate var withoutWrapper: UpstreamError {
        guard let field, let dot = field.firstIndex(of: ".") else { return self }
        var error = self
        error.field = String(field[field.index(after: dot)...])
        return error
    }
}

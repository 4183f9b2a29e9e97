import BoxOffice
import Contract

/// A range of history to fetch: all charts of some days, newest first.
struct BackfillJob: Hashable, Sendable {
    /// One chart or movie of a job.
    struct Item: Hashable, Sendable {
        /// Its index in the job: the newest day comes first.
        let index: Int
        /// Its name in the ids of requests, such as `day.2003-11-11`.
        let name: String
        /// How many requests for it have failed.
        let attempts: Int

        /// Returns the id of its present or next request.
        func id(in job: Int) -> RequestID? {
            RequestID("\(BackfillService.prefix)\(job).\(name)" + (attempts > 0 ? ".\(attempts + 1)" : ""))
        }

        /// Whether it is a movie.
        var isMovie: Bool { name.hasPrefix("movie.") }

        /// Returns what to request: for a movie also the poster if `withPosters`. Nil if the name cannot be parsed.
        func target(withPosters: Bool) -> Request.Target? {
            let words = name.split(separator: ".")
            guard words.count == 2 else { return nil }
            switch words[0] {
            case "day": return KoreanDate(words[1]).map { .day($0, .all) }
            case "movie": return MovieCode(words[1]).map { .movie($0, poster: withPosters) }
            default:
                guard let span = Week.Span(rawValue: String(words[0])), let day = KoreanDate(words[1]) else {
                    return nil
                }
                return .week(Week(of: day, span: span), .all)
            }
        }
    }

    /// Its number, which is part of the ids of its requests.
    let number: Int
    /// The oldest day.
    let first: KoreanDate
    /// The newest day.
    let last: KoreanDate
    /// Whether weekly charts are fetched too.
    let weeks: Bool
    /// Whether the details and posters of all movies in the charts are fetched too.
    let movies: Bool
    /// Whether the worker began it by itself, because its log was new.
    let isInitial: Bool

    /// Returns the names of a job's charts: each day, and after it the weeks that end with it.
    static func names(_ days: ClosedRange<KoreanDate>, weeks: Bool) -> [String] {
        (0...(days.upperBound - days.lowerBound)).flatMap { back in
            let day = days.upperBound - back
            let ending = weeks ? Week.Span.allCases.map { Week(of: day, span: $0) }.filter { $0.lastDay == day } : []
            return ["day.\(day)"] + ending.map { "\($0.span.rawValue).\($0.firstDay)" }
        }
    }
}

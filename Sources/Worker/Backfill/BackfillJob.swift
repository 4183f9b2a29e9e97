import BoxOffice
import Contract

/// A piece of history that was asked for: all charts of some days, newest first.
struct BackfillJob: Hashable, Sendable {
    /// One chart or film of it.
    struct Item: Hashable, Sendable {
        /// Where it stands: the newest day first.
        let place: Int
        /// Its words in the ids of requests, such as `day.2003-11-11`.
        let name: String
        /// How often it was asked for in vain.
        let attempts: Int

        /// The id of its next, or present, request.
        func id(in job: Int) -> RequestID? {
            RequestID("\(BackfillService.prefix)\(job).\(name)" + (attempts > 0 ? ".\(attempts + 1)" : ""))
        }

        /// Whether it is a film.
        var isMovie: Bool { name.hasPrefix("movie.") }

        /// What is asked for; of a film the poster, too, if there is somebody to ask.
        func target(withPosters hasPosters: Bool) -> Request.Target? {
            let words = name.split(separator: ".")
            guard words.count == 2 else { return nil }
            switch words[0] {
            case "day": return KoreanDate(words[1]).map { .day($0, .all) }
            case "movie": return MovieCode(words[1]).map { .movie($0, poster: hasPosters) }
            default:
                guard let span = Week.Span(rawValue: String(words[0])), let day = KoreanDate(words[1]) else {
                    return nil
                }
                return .week(Week(of: day, span: span), .all)
            }
        }
    }

    /// Its number, by which its requests are told from another's.
    let number: Int
    /// The oldest day.
    let first: KoreanDate
    /// The newest day.
    let last: KoreanDate
    /// Whether weekly charts are wanted too.
    let weeks: Bool
    /// Whether the facts and posters of all films in the charts are wanted too.
    let movies: Bool

    /// The names of its charts: each day's, and after it those of the weeks that it ends.
    static func names(_ days: ClosedRange<KoreanDate>, weeks: Bool) -> [String] {
        (0...(days.upperBound - days.lowerBound)).flatMap { back in
            let day = days.upperBound - back
            let ending = weeks ? Week.Span.allCases.map { Week(of: day, span: $0) }.filter { $0.lastDay == day } : []
            return ["day.\(day)"] + ending.map { "\($0.span.rawValue).\($0.firstDay)" }
        }
    }
}

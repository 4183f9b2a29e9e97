import BoxOffice
import FoundationEssentials

/// Responses of the real services from a folder, served as they were recorded.
///
/// The folder has `kobis/daily`, `kobis/daily-<year>`, `kobis/daily-variants`, `kobis/revisions/<day>`, `kobis/weekly`,
/// `kobis/movie` and `kakao/image`; any may be missing. Files are read once, at the start.
struct Recordings: Sendable {
    private var charts: [Subject: [Version]] = [:]
    private var movies: [String: [UInt8]] = [:]
    private var imagePages: [String: [UInt8]] = [:]

    /// What a recorded chart is about.
    private struct Subject: Hashable {
        let first: KoreanDate
        let last: KoreanDate
        let market: Market
    }

    /// A chart as it was answered once.
    private struct Version {
        let time: Date
        let body: [UInt8]
    }

    init(folder: String) throws(SandboxError) {
        for file in RecordedFile.all(under: "\(folder)/kobis", endingIn: [".json", ".jsonl"]) {
            switch file.shelf {
            case "movie": movies[file.stem] = file.bytes
            case "daily-variants": add(file.lines, market: file.market) { ($0 + 4).start }
            case "revisions": add([file.bytes], market: .all) { file.time ?? ($0 + 1).start }
            // Single responses were saved in the night after their day; tables hold settled figures.
            case "daily": add([file.bytes], market: .all) { ($0 + 1).start + 1800 }
            case "weekly": add([file.bytes], market: .all) { ($0 + 4).start }
            case let shelf where shelf.hasPrefix("daily-"): add(file.lines, market: .all) { ($0 + 4).start }
            default: break
            }
        }
        for file in RecordedFile.all(under: "\(folder)/kakao/image", endingIn: [".json"]) {
            imagePages[file.stem] = file.bytes
        }
        guard !(charts.isEmpty && movies.isEmpty && imagePages.isEmpty) else { throw .noRecordings(path: folder) }
        charts = charts.mapValues { $0.sorted { $0.time < $1.time } }
    }

    private mutating func add(_ bodies: [[UInt8]], market: Market, known time: (KoreanDate) -> Date) {
        for body in bodies {
            guard let (first, last) = Self.range(of: body) else { continue }
            let subject = Subject(first: first, last: last, market: market)
            charts[subject, default: []].append(Version(time: time(last), body: body))
        }
    }

    /// The days a chart's body says it is about.
    private static func range(of body: [UInt8]) -> (first: KoreanDate, last: KoreanDate)? {
        guard let start = body.firstRange(of: Array(#""showRange":""#.utf8))?.upperBound else { return nil }
        let text = String(decoding: body[start...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
        let days = text.split(separator: "~").compactMap { KoreanDate($0) }
        return days.count == 2 ? (days[0], days[1]) : nil
    }
}

extension Recordings: MovieCatalog {
    /// The chart as it was known at `instant`, or as it was first known if that is later; an empty one if there is
    /// none.
    func chart(_ question: ChartQuery, at instant: Date) -> [UInt8] {
        let span = question.span
        let subject = Subject(first: span.first, last: span.last, market: question.market)
        guard let versions = charts[subject],
            let version = versions.last(where: { $0.time <= instant }) ?? versions.first
        else { return question.body([]) }
        return question.lines < 10
            ? question.body(Array(Self.lines(of: version.body).prefix(question.lines))) : version.body
    }

    func movie(code: String, at instant: Date) -> [UInt8] {
        movies[code] ?? World.movieBody(nil)
    }

    /// The page whose file is called like the query; for whatever else asks for a poster, the page of posters if there
    /// is one. There is only the first page of anything.
    func images(_ question: ImageQuery, base: String, at instant: Date) -> [UInt8] {
        let named = imagePages[question.query]
        let posters = question.query.contains("포스터") ? imagePages["movie-poster-80"] : nil
        guard question.page == 1, let page = named ?? posters else {
            return ImagePage(of: nil, question, base: base).body
        }
        return page
    }

    static func lines(of body: [UInt8]) -> [ChartLine] {
        struct Body: Decodable {
            struct Result: Decodable {
                let dailyBoxOfficeList: [ChartLine]?
                let weeklyBoxOfficeList: [ChartLine]?
            }

            let boxOfficeResult: Result
        }
        // A recording that cannot be read has no lines, like a day that is unknown.
        let result = try? JSONDecoder().decode(Body.self, from: Data(body)).boxOfficeResult
        return result?.dailyBoxOfficeList ?? result?.weeklyBoxOfficeList ?? []
    }
}

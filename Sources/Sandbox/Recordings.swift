import BoxOffice
import FoundationEssentials

/// The source of charts, movies and image searches: the generated world or recorded responses.
///
/// The handlers check keys and parameters first. For unknown things it returns what the real services return.
protocol MovieCatalog: Sendable {
    func chart(_ query: ChartQuery, at instant: Date) -> [UInt8]
    func movie(code: String, at instant: Date) -> [UInt8]
    /// Returns the response body of a page of an image search; image addresses begin with `base`.
    func images(_ query: ImageQuery, base: String, at instant: Date) -> [UInt8]
}

/// Recorded responses of the real services, served unchanged from a folder.
///
/// The folder has `kobis/daily`, `kobis/daily-<year>`, `kobis/daily-variants`, `kobis/revisions/<day>`, `kobis/weekly`,
/// `kobis/movie` and `kakao/image`; any may be missing. The files are read once, at the start.
struct Recordings: Sendable, MovieCatalog {
    private var charts: [ChartKey: [Version]] = [:]
    private var movies: [String: [UInt8]] = [:]
    private var imagePages: [String: [UInt8]] = [:]

    private struct ChartKey: Hashable {
        let first: KoreanDate
        let last: KoreanDate
        let market: Market
    }

    private struct Version {
        let time: Date
        let body: [UInt8]
    }

    init(folder: String) throws(SandboxError) {
        for file in RecordedFile.all(under: "\(folder)/kobis", withExtensions: [".json", ".jsonl"]) {
            switch file.folder {
            case "movie": movies[file.stem] = file.bytes
            case "daily-variants": add(file.lines, market: file.market) { ($0 + 4).start }
            case "revisions": add([file.bytes], market: .all) { file.time ?? ($0 + 1).start }
            // Single responses were saved in the night after their day; the tables have settled figures.
            case "daily": add([file.bytes], market: .all) { ($0 + 1).start + 1800 }
            case "weekly": add([file.bytes], market: .all) { ($0 + 4).start }
            case let folder where folder.hasPrefix("daily-"): add(file.lines, market: .all) { ($0 + 4).start }
            default: break
            }
        }
        for file in RecordedFile.all(under: "\(folder)/kakao/image", withExtensions: [".json"]) {
            imagePages[file.stem] = file.bytes
        }
        guard !(charts.isEmpty && movies.isEmpty && imagePages.isEmpty) else { throw .noRecordings(path: folder) }
        charts = charts.mapValues { $0.sorted { $0.time < $1.time } }
    }

    private mutating func add(_ bodies: [[UInt8]], market: Market, known time: (KoreanDate) -> Date) {
        for body in bodies {
            guard let (first, last) = Self.range(of: body) else { continue }
            let key = ChartKey(first: first, last: last, market: market)
            charts[key, default: []].append(Version(time: time(last), body: body))
        }
    }

    private static func range(of body: [UInt8]) -> (first: KoreanDate, last: KoreanDate)? {
        guard let start = body.firstRange(of: Array(#""showRange":""#.utf8))?.upperBound else { return nil }
        let text = String(decoding: body[start...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
        let days = text.split(separator: "~").compactMap { KoreanDate($0) }
        return days.count == 2 ? (days[0], days[1]) : nil
    }

    /// Returns the last version recorded by `instant`, or the first version if all are later; an empty chart if no
    /// version is recorded.
    func chart(_ query: ChartQuery, at instant: Date) -> [UInt8] {
        let key = ChartKey(first: query.period.first, last: query.period.last, market: query.market)
        let versions = charts[key] ?? []
        return (versions.last { $0.time <= instant } ?? versions.first)?.body ?? query.body([])
    }

    func movie(code: String, at instant: Date) -> [UInt8] {
        movies[code] ?? World.movieBody(nil)
    }

    /// Returns the page in the file named like the query; for any other query for a poster, the recorded page of posters.
    /// Only first pages are recorded.
    func images(_ query: ImageQuery, base: String, at instant: Date) -> [UInt8] {
        let named = imagePages[query.text]
        let posters = query.text.contains("포스터") ? imagePages["movie-poster-80"] : nil
        guard query.page == 1, let page = named ?? posters else {
            return query.body([], base: base)
        }
        return page
    }
}

/// A file of recorded responses; its path describes the call.
struct RecordedFile {
    /// The name of the folder that holds it: the kind of call.
    let folder: String
    let stem: String
    let bytes: [UInt8]

    var lines: [[UInt8]] {
        bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
    }

    /// The market in a file name such as `2024-06.repNationCd=K`.
    var market: Market {
        var market = Market.all
        for part in stem.split(separator: ".") {
            switch part {
            case "repNationCd=K": market.nation = .korean
            case "repNationCd=F": market.nation = .foreign
            case "multiMovieYn=Y": market.films = .diverse
            case "multiMovieYn=N": market.films = .commercial
            case let part where part.hasPrefix("wideAreaCd="): market.area = Market.Area(part.dropFirst(11))
            default: break
            }
        }
        return market
    }

    /// The time in a file name such as `20260122T003009Z`.
    var time: Date? {
        guard stem.utf8.count == 16, stem.hasSuffix("Z"), let day = KoreanDate(stem.prefix(8)),
            let time = Int(stem.dropFirst(9).prefix(6))
        else { return nil }
        let seconds = time / 10_000 * 3600 + time / 100 % 100 * 60 + time % 100
        // The name is in UTC; a Korean day begins nine hours before the same day in UTC.
        return day.start + Double(9 * 3600 + seconds)
    }

    /// Returns the readable files under a folder that have one of the extensions, ordered by path.
    static func all(under folder: String, withExtensions extensions: [String]) -> [RecordedFile] {
        // Missing and unreadable files are skipped; the caller rejects an empty result.
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return paths.sorted().compactMap { path in
            guard let fileExtension = extensions.first(where: { path.hasSuffix($0) }),
                let data = try? Data(contentsOf: URL(filePath: "\(folder)/\(path)"))
            else { return nil }
            let parts = path.split(separator: "/")
            let name = parts.last ?? ""
            return RecordedFile(
                folder: parts.count > 1 ? String(parts[0]) : "", stem: String(name.dropLast(fileExtension.utf8.count)),
                // A file ends with a line feed; the recorded response did not.
                bytes: Array(data.last == UInt8(ascii: "\n") ? data.dropLast() : data))
        }
    }
}

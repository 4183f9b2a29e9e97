import BoxOffice
import FoundationEssentials

/// A file of recorded responses, and what its path says about it.
struct RecordedFile {
    /// The folder under the one that was searched: what kind of call was recorded.
    let shelf: String
    /// The file's name without its ending.
    let stem: String
    let bytes: [UInt8]

    /// The responses of a file that has one on each line.
    var lines: [[UInt8]] {
        bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
    }

    /// The market in a name such as `2024-06.repNationCd=K`.
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

    /// The instant in a name such as `20260122T003009Z`.
    var time: Date? {
        guard stem.utf8.count == 16, stem.hasSuffix("Z"), let day = KoreanDate(stem.prefix(8)),
            let clock = Int(stem.dropFirst(9).prefix(6))
        else { return nil }
        let seconds = clock / 10_000 * 3600 + clock / 100 % 100 * 60 + clock % 100
        // The name is in UTC, and a Korean day begins nine hours before the day of that name there.
        return day.start + Double(9 * 3600 + seconds)
    }

    /// The readable files under a folder with one of some endings, in the order of their paths.
    static func all(under folder: String, endingIn endings: [String]) -> [RecordedFile] {
        // What is missing or cannot be read is not recorded; an empty outcome is the caller's to refuse.
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return paths.sorted().compactMap { path in
            guard let ending = endings.first(where: { path.hasSuffix($0) }),
                let data = try? Data(contentsOf: URL(filePath: "\(folder)/\(path)"))
            else { return nil }
            let parts = path.split(separator: "/")
            let name = parts.last ?? ""
            return RecordedFile(
                shelf: parts.count > 1 ? String(parts[0]) : "", stem: String(name.dropLast(ending.utf8.count)),
                // A file ends in a line feed, the response that it holds did not.
                bytes: Array(data.last == UInt8(ascii: "\n") ? data.dropLast() : data))
        }
    }
}

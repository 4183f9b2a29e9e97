import BoxOffice
import JSONCoding

/// The validated parameters of a chart call.
struct ChartQuery: Sendable {
    var period: ChartPeriod
    var market: Market

    func body(_ lines: [ChartLine]) -> [UInt8] {
        let list = JSONTree.array(lines.map(\.tree))
        let range = JSONTree.string("\(period.first.compact)~\(period.last.compact)")
        let result: [(String, JSONTree)]
        if let span = period.span {
            let (year, week) = ReleaseWeek(of: period.first).ordinal
            result = [
                ("boxofficeType", .string(span.title)), ("showRange", range),
                ("yearWeekTime", "\(year)\(week < 10 ? "0" : "")\(week)"), ("weeklyBoxOfficeList", list),
            ]
        } else {
            result = [("boxofficeType", "일별 박스오피스"), ("showRange", range), ("dailyBoxOfficeList", list)]
        }
        return JSONTree.object([("boxOfficeResult", .object(result))]).json
    }
}

extension Week.Span {
    fileprivate var title: String {
        switch self {
        case .week: "주간 박스오피스"
        case .weekend: "주말 박스오피스"
        // No recording exists; the title follows the other two.
        case .weekdays: "주중 박스오피스"
        }
    }
}

/// A line of a chart in the service's format: every value is text.
struct ChartLine: Hashable, Sendable, Decodable {
    var rnum: String
    var rank: String
    var rankInten: String
    var rankOldAndNew: String
    var movieCd: String
    var movieNm: String
    var openDt: String
    var salesAmt: String
    var salesShare: String
    var salesInten: String
    var salesChange: String
    var salesAcc: String
    var audiCnt: String
    var audiInten: String
    var audiChange: String
    var audiAcc: String
    var scrnCnt: String
    var showCnt: String

    /// The line as JSON, with the keys in the service's order.
    var tree: JSONTree {
        .object([
            ("rnum", .string(rnum)), ("rank", .string(rank)), ("rankInten", .string(rankInten)),
            ("rankOldAndNew", .string(rankOldAndNew)), ("movieCd", .string(movieCd)), ("movieNm", .string(movieNm)),
            ("openDt", .string(openDt)), ("salesAmt", .string(salesAmt)), ("salesShare", .string(salesShare)),
            ("salesInten", .string(salesInten)), ("salesChange", .string(salesChange)),
            ("salesAcc", .string(salesAcc)), ("audiCnt", .string(audiCnt)), ("audiInten", .string(audiInten)),
            ("audiChange", .string(audiChange)), ("audiAcc", .string(audiAcc)), ("scrnCnt", .string(scrnCnt)),
            ("showCnt", .string(showCnt)),
        ])
    }
}

extension Percent {
    /// `part` in percent of `whole`, rounded to a tenth, halves away from zero; 100 if `whole` is 0.
    init(_ part: Int, of whole: Int) {
        guard whole != 0 else {
            self.init(tenths: 1000)
            return
        }
        let twice = part * 2000
        self.init(tenths: (twice + (twice < 0 ? -whole : whole)) / (2 * whole))
    }
}

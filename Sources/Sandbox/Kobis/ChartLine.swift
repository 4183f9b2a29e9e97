import BoxOffice
import JSONCoding

/// A line of a chart as the service writes it: every value is text.
struct ChartLine: Hashable, Sendable, Codable {
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

    /// The line in the service's order of keys.
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
    /// `part` in percent of `whole`, rounded to a tenth, halves away from zero; 100 of nothing.
    init(_ part: Int, of whole: Int) {
        guard whole != 0 else {
            self.init(tenths: 1000)
            return
        }
        let twice = part * 2000
        self.init(tenths: (twice + (twice < 0 ? -whole : whole)) / (2 * whole))
    }

    /// The percentage with its decimal even where that is 0, as shares and weekly charts have it.
    var withDecimal: String {
        tenths.isMultiple(of: 10) ? "\(self).0" : description
    }
}

import BoxOffice
import JSONCoding
import Text

extension World {
    /// Returns the first ten lines of a period's chart in a market, as published; none unless all its days have figures.
    func chart(of period: ChartPeriod, in market: Market, as publishedView: PublishedView) -> [ChartLine] {
        guard publishedView.covers(period.first), publishedView.covers(period.last) else { return [] }
        let ranking = ranking(of: period, in: market, as: publishedView)
        let before = Dictionary(
            self.ranking(of: period.before, in: market, as: publishedView).map { ($0.movie.id, $0) },
            uniquingKeysWith: { first, _ in first })
        let marketSales = ranking.reduce(0) { $0 + $1.sales }
        return ranking.prefix(10).enumerated().map { index, rankedMovie in
            ChartLine(
                rankedMovie, number: index + 1, before: before[rankedMovie.movie.id], marketSales: marketSales,
                period: period, as: publishedView)
        }
    }
}

extension ChartLine {
    /// Formats a movie's figures like the service: daily changes without a trailing `.0`, weekly ones with it, and a
    /// space for an unknown opening day.
    fileprivate init(
        _ rankedMovie: RankedMovie, number: Int, before: RankedMovie?, marketSales: Int, period: ChartPeriod,
        as publishedView: PublishedView
    ) {
        let movie = rankedMovie.movie
        let isWeekly = period.span != nil
        func change(_ delta: Int, from value: Int) -> String {
            let percent = Percent(delta, of: value)
            return isWeekly ? percent.withDecimal : percent.description
        }
        let salesDelta = rankedMovie.sales - (before?.sales ?? 0)
        let audienceDelta = rankedMovie.audience - (before?.audience ?? 0)
        let total = movie.total(through: period.last, areaShare: rankedMovie.areaShare, as: publishedView)
        let screens = period.days.map { movie.screens(on: $0, areaShare: rankedMovie.areaShare) }
        self.init(
            rnum: String(number), rank: String(rankedMovie.rank),
            rankInten: String(before.map { $0.rank - rankedMovie.rank } ?? 0),
            // A movie is new if it had no audience in the period before, also after a preview or a pause.
            rankOldAndNew: before == nil ? "NEW" : "OLD",
            movieCd: movie.code, movieNm: movie.title, openDt: movie.hidesOpening ? " " : movie.opening.description,
            salesAmt: String(rankedMovie.sales), salesShare: Percent(rankedMovie.sales, of: marketSales).withDecimal,
            salesInten: String(salesDelta), salesChange: change(salesDelta, from: before?.sales ?? 0),
            salesAcc: String(total.sales),
            audiCnt: String(rankedMovie.audience), audiInten: String(audienceDelta),
            audiChange: change(audienceDelta, from: before?.audience ?? 0), audiAcc: String(total.audience),
            scrnCnt: String(screens.map(\.screens).max() ?? 0),
            showCnt: String(screens.reduce(0) { $0 + $1.showings }))
    }
}

struct RankedMovie: Sendable {
    let movie: SimulatedMovie
    let areaShare: AreaShare
    let audience: Int
    let sales: Int
    var rank = 0

    /// Makes the figures for `period` in an area; nil if the movie had no audience there.
    init?(of movie: SimulatedMovie, areaShare: AreaShare, in period: ChartPeriod, as publishedView: PublishedView) {
        let sum = movie.sum(over: period.days, areaShare: areaShare, as: publishedView)
        guard sum.audience > 0 else { return nil }
        self.movie = movie
        self.areaShare = areaShare
        audience = sum.audience
        sales = sum.sales
    }

    /// Orders by audience, then sales. Sales decide the order of equal audiences, but not their rank.
    static func precedes(_ one: RankedMovie, _ other: RankedMovie) -> Bool {
        (one.audience, one.sales, other.movie.code) > (other.audience, other.sales, one.movie.code)
    }
}

/// The days that a chart adds up: a day, or those of a week.
struct ChartPeriod: Hashable, Sendable {
    let first: KoreanDate
    let last: KoreanDate
    let span: Week.Span?

    init(day: KoreanDate) {
        (first, last, span) = (day, day, nil)
    }

    init(_ week: Week) {
        (first, last, span) = (week.firstDay, week.lastDay, week.span)
    }

    var before: ChartPeriod {
        span.map { ChartPeriod(Week(of: first - 7, span: $0)) } ?? ChartPeriod(day: first - 1)
    }

    var days: [KoreanDate] {
        (first.dayNumber...last.dayNumber).map(KoreanDate.init(dayNumber:))
    }
}

// MARK: - The service's format

struct ChartQuery: Sendable {
    var period: ChartPeriod
    var market: Market

    func body(_ lines: [ChartLine]) -> [UInt8] {
        let list = lines.map(\.object)
        let range = "\(period.first.compact)~\(period.last.compact)"
        let type = "\(period.span?.name(in: .ko) ?? "일별") 박스오피스"
        var result: OrderedObject = ["boxofficeType": type, "showRange": range]
        if period.span != nil {
            let (year, week) = ReleaseWeek(of: period.first).ordinal
            result.append(["yearWeekTime": "\(year)\(week < 10 ? "0" : "")\(week)", "weeklyBoxOfficeList": list])
        } else {
            result.append(["dailyBoxOfficeList": list])
        }
        return (["boxOfficeResult": result] as OrderedObject).json
    }
}

/// A line of a chart in the service's format: every value is text.
struct ChartLine: Hashable, Sendable, Decodable {
    var rnum, rank, rankInten, rankOldAndNew, movieCd, movieNm, openDt: String
    var salesAmt, salesShare, salesInten, salesChange, salesAcc: String
    var audiCnt, audiInten, audiChange, audiAcc, scrnCnt, showCnt: String

    var object: OrderedObject {
        [
            "rnum": rnum, "rank": rank, "rankInten": rankInten, "rankOldAndNew": rankOldAndNew, "movieCd": movieCd,
            "movieNm": movieNm, "openDt": openDt, "salesAmt": salesAmt, "salesShare": salesShare,
            "salesInten": salesInten, "salesChange": salesChange, "salesAcc": salesAcc, "audiCnt": audiCnt,
            "audiInten": audiInten, "audiChange": audiChange, "audiAcc": audiAcc, "scrnCnt": scrnCnt,
            "showCnt": showCnt,
        ]
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

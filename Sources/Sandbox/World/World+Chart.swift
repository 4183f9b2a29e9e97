import BoxOffice

extension World {
    /// The first lines of a span's chart in a market, as they are known; none if there are no figures for all its days.
    func chart(of span: ChartPeriod, in market: Market, as knowledge: PublishedView, lines: Int) -> [ChartLine] {
        guard knowledge.covers(span.first), knowledge.covers(span.last) else { return [] }
        let ranking = ranking(of: span, in: market, as: knowledge)
        let before = Dictionary(
            self.ranking(of: span.before, in: market, as: knowledge).map { ($0.movie.id, $0) },
            uniquingKeysWith: { first, _ in first })
        let market = ranking.reduce(0) { $0 + $1.sales }
        return ranking.prefix(lines).enumerated().map { index, standing in
            ChartLine(
                standing, number: index + 1, before: before[standing.movie.id], market: market, span: span,
                as: knowledge)
        }
    }
}

extension ChartLine {
    /// Writes a film's figures the way the service does, quirks included: daily changes without an idle decimal, weekly
    /// ones with it, a blank for an unknown opening day.
    fileprivate init(
        _ standing: RankedMovie, number: Int, before: RankedMovie?, market: Int, span: ChartPeriod,
        as knowledge: PublishedView
    ) {
        let movie = standing.movie
        let isWeekly = span.stride > 1
        func change(_ delta: Int, from value: Int) -> String {
            let percent = Percent(delta, of: value)
            return isWeekly ? percent.withDecimal : percent.description
        }
        let salesDelta = standing.sales - (before?.sales ?? 0)
        let audienceDelta = standing.audience - (before?.audience ?? 0)
        let total = movie.total(through: span.last, slice: standing.slice, as: knowledge)
        let screens = span.days.map { movie.screens(on: $0, slice: standing.slice) }
        self.init(
            rnum: String(number), rank: String(standing.rank),
            rankInten: String(before.map { $0.rank - standing.rank } ?? 0),
            // New is what had nobody the span before: previews, re-releases and comebacks after a pause, too.
            rankOldAndNew: before == nil ? "NEW" : "OLD",
            movieCd: movie.code, movieNm: movie.title, openDt: movie.hidesOpening ? " " : movie.opening.description,
            salesAmt: String(standing.sales), salesShare: Percent(standing.sales, of: market).withDecimal,
            salesInten: String(salesDelta), salesChange: change(salesDelta, from: before?.sales ?? 0),
            salesAcc: String(total.sales),
            audiCnt: String(standing.audience), audiInten: String(audienceDelta),
            audiChange: change(audienceDelta, from: before?.audience ?? 0), audiAcc: String(total.audience),
            scrnCnt: String(screens.map(\.screens).max() ?? 0),
            showCnt: String(screens.reduce(0) { $0 + $1.showings }))
    }
}

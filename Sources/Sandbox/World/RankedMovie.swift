import BoxOffice

/// What a film did in a span of days, and where that put it.
struct RankedMovie: Sendable {
    let movie: SimulatedMovie
    let slice: AreaShare
    let audience: Int
    let sales: Int
    var rank = 0

    /// The film's figures for `span` in its part of the country, or nil if it was not shown there.
    init?(of movie: SimulatedMovie, slice: AreaShare, in span: ChartPeriod, as knowledge: PublishedView) {
        let sum = movie.sum(over: span.days, slice: slice, as: knowledge)
        guard sum.audience > 0 else { return nil }
        self.movie = movie
        self.slice = slice
        audience = sum.audience
        sales = sum.sales
    }

    /// More admissions first; takings decide the order, not the rank, of equals.
    static func precedes(_ one: RankedMovie, _ other: RankedMovie) -> Bool {
        (one.audience, one.sales, other.movie.code) > (other.audience, other.sales, one.movie.code)
    }
}

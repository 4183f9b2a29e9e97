import BoxOffice

/// What a film did in a span of days, and where that put it.
struct Standing: Sendable {
    let film: Film
    let slice: Slice
    let admissions: Int
    let sales: Int
    var rank = 0

    /// The film's figures for `span` in its part of the country, or nil if it was not shown there.
    init?(of film: Film, slice: Slice, in span: Span, as knowledge: Knowledge) {
        let sum = film.sum(over: span.days, slice: slice, as: knowledge)
        guard sum.admissions > 0 else { return nil }
        self.film = film
        self.slice = slice
        admissions = sum.admissions
        sales = sum.sales
    }

    /// More admissions first; takings decide the order, not the rank, of equals.
    static func precedes(_ one: Standing, _ other: Standing) -> Bool {
        (one.admissions, one.sales, other.film.code) > (other.admissions, other.sales, one.film.code)
    }
}

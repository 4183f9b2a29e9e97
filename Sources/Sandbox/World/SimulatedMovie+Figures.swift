import BoxOffice

extension SimulatedMovie {
    /// Admissions and takings of some days, as far as they are known.
    func sum(
        over days: some Sequence<KoreanDate>, slice: AreaShare, as knowledge: PublishedView
    ) -> (audience: Int, sales: Int) {
        var audience = 0
        var sales = 0
        for day in days {
            for run in runs {
                let settled = run.audience(on: day)
                guard settled > 0 else { continue }
                let part = slice.part(of: knowledge.audience(of: self, on: day, settledAt: settled))
                audience += part
                sales += part * run.price(on: day)
            }
        }
        return (audience, sales)
    }

    /// Admissions and takings since the film was first shown, up to and with `last`.
    func total(through last: KoreanDate, slice: AreaShare, as knowledge: PublishedView) -> (audience: Int, sales: Int) {
        var total = (audience: 0, sales: 0)
        for run in runs where run.first <= last {
            let days = (run.first.dayNumber...min(last, run.last).dayNumber).lazy.map(KoreanDate.init(dayNumber:))
            let sum = sum(over: days, slice: slice, as: knowledge)
            total.audience += sum.audience
            total.sales += sum.sales
        }
        return total
    }

    /// Screens and showings of a day: more for a film that more people want to see, and never more showings than hours.
    func screens(on day: KoreanDate, slice: AreaShare) -> (screens: Int, showings: Int) {
        let audience = runs.reduce(0) { $0 + $1.audience(on: day) }
        guard audience > 0 else { return (0, 0) }
        let crowd = Double(audience)
        let reach = 3.8 + Double(id.slot % 5) * 0.4
        let screens = max(1, slice.part(of: min(2600, Int(reach * crowd.squareRoot()))))
        return (screens, max(screens, Int(Double(screens) * (1.2 + 3.2 * crowd / (crowd + 25_000)))))
    }
}

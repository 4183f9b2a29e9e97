import BoxOffice

/// One stay of a film in the cinemas: its settled admissions and what a ticket cost, day by day.
struct TheatricalRun: Sendable {
    let first: KoreanDate
    let audience: [Int32]
    let prices: [Int32]

    var last: KoreanDate { first + (audience.count - 1) }

    /// Admissions on `date`, 0 on a day without a showing.
    func audience(on date: KoreanDate) -> Int {
        let index = date - first
        return audience.indices.contains(index) ? Int(audience[index]) : 0
    }

    /// The price of a ticket on `date`, in won.
    func price(on date: KoreanDate) -> Int {
        let index = date - first
        return prices.indices.contains(index) ? Int(prices[index]) : 0
    }
}

extension TheatricalRun {
    /// What the days of a run follow from.
    struct Plan {
        /// The first regular day.
        var opening: KoreanDate
        /// Admissions on a common Friday of the first week.
        var scale: Double
        /// How far single days stray from what was to be expected.
        var unrest: Double
        /// What remains of a day's interest the day after, over a week.
        var hold: Double
        /// How much word of mouth adds at its height, about two weeks in; 0 for most films.
        var wordOfMouth: Double
        /// Days before the opening with previews, and the part of the first week's admissions they draw.
        var previews: [(daysBefore: Int, part: Double)]
        /// What this film's tickets cost, relative to others: large screens cost more, matinees less.
        var priceFactor: Double
        /// How much better the film does on weekends than others: families come on Saturdays, enthusiasts on any day.
        var weekends: Double
        /// Whether single days draw a crowd again (a stage greeting, a group booking).
        var hasEvents: Bool
    }

    /// No film stays longer than this; a chart looks this far back for what is still showing.
    static let longest = 112
    /// No preview is earlier than this.
    static let earliestPreview = 11

    /// Plays a plan out, day by day, until hardly anybody comes.
    init(_ plan: Plan, dice: SeededRandom) {
        var dice = dice
        let daysBefore = plan.previews.map(\.daysBefore).max() ?? 0
        first = plan.opening - daysBefore
        var audience: [Int32] = []
        var prices: [Int32] = []
        var interest = 1.0
        var hasEnded = false
        for day in -daysBefore..<Self.longest where !hasEnded {
            let date = plan.opening + day
            let demand = AudienceModel.factor(on: date) * dice.real(in: 1 - plan.unrest...1 + plan.unrest)
            var expected = plan.scale * demand
            if date.weekday >= 5 { expected *= plan.weekends }
            if day < 0 {
                expected *= plan.previews.first { $0.daysBefore == -day }?.part ?? 0
            } else {
                let weeks = Double(day) / 7
                expected *= interest * (1 + plan.wordOfMouth * weeks / (1 + weeks * weeks / 4))
                // The screens that Wednesday's openings take are lost at once, the rest of a week's loss day by day.
                interest *= date.weekday == 1 ? plan.hold * plan.hold * plan.hold * plan.hold : plan.hold.squareRoot()
                if plan.hasEvents, day > 6, dice.chance(0.03) { expected = expected * 8 + 200 }
            }
            audience.append(Int32(expected))
            prices.append(Self.price(on: date, factor: plan.priceFactor, dice: &dice))
            hasEnded = day > 5 && expected < demand * 4
        }
        self.audience = audience
        self.prices = prices
    }

    private static func price(on date: KoreanDate, factor: Double, dice: inout SeededRandom) -> Int32 {
        let day = AudienceModel.isCultureDay(date) ? 0.74 : date.weekday >= 4 ? 1.03 : 0.97
        let won = AudienceModel.ticketPrice(in: date.year) * factor * day * dice.real(in: 0.985...1.015)
        return Int32(won / 10) * 10
    }
}

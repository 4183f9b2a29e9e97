import BoxOffice

/// One run of a movie in the cinemas: its settled audience and ticket price on each day.
struct TheatricalRun: Sendable {
    let first: KoreanDate
    let audience: [Int32]
    let prices: [Int32]

    var last: KoreanDate { first + (audience.count - 1) }

    /// Returns the audience on `date`; 0 on a day without a showing.
    func audience(on date: KoreanDate) -> Int {
        let index = date - first
        return audience.indices.contains(index) ? Int(audience[index]) : 0
    }

    /// Returns the price of a ticket on `date`, in won.
    func price(on date: KoreanDate) -> Int {
        let index = date - first
        return prices.indices.contains(index) ? Int(prices[index]) : 0
    }
}

extension TheatricalRun {
    struct Plan {
        /// The first regular day.
        var opening: KoreanDate
        /// The audience on a normal Friday of the first week.
        var scale: Double
        /// The variation between single days, from 0 to 1.
        var variability: Double
        /// The part of the interest that remains after a day, averaged over a week.
        var retention: Double
        /// The increase by word of mouth at its peak, after about two weeks; 0 for most movies.
        var wordOfMouth: Double
        /// The days before the opening that have previews, and their part of the first week's audience.
        var previews: [(daysBefore: Int, part: Double)]
        /// The ticket price relative to other movies: large screens cost more, matinees less.
        var priceFactor: Double
        /// The attendance on weekends relative to other movies: families come on Saturdays, enthusiasts on any day.
        var weekendFactor: Double
        /// Whether single days have a peak (a stage greeting, a group booking).
        var hasEvents: Bool
    }

    /// The longest run, in days; a chart searches this far back for movies that still run.
    static let longest = 112
    /// The people who go to one movie at most: fewer are left to come with each who has been there.
    private static let largestAudience = 18_000_000.0
    /// The earliest preview, in days before the opening.
    static let earliestPreview = 11

    /// Simulates a run day by day until the audience is close to zero.
    init(_ plan: Plan, random: SeededRandom) {
        var random = random
        let daysBefore = plan.previews.map(\.daysBefore).max() ?? 0
        first = plan.opening - daysBefore
        var audience: [Int32] = []
        var prices: [Int32] = []
        var interest = 1.0
        var total = 0.0
        var hasEnded = false
        for day in -daysBefore..<Self.longest where !hasEnded {
            let date = plan.opening + day
            let dayFactor =
                AudienceModel.attendanceFactor(on: date) * random.real(in: 1 - plan.variability...1 + plan.variability)
            var expected = plan.scale * dayFactor * max(0, 1 - total / Self.largestAudience)
            if date.weekday >= 5 { expected *= plan.weekendFactor }
            if day < 0 {
                expected *= plan.previews.first { $0.daysBefore == -day }?.part ?? 0
            } else {
                let weeks = Double(day) / 7
                expected *= interest * (1 + plan.wordOfMouth * weeks / (1 + weeks * weeks / 4))
                // Tuesday's step is large because Wednesday's openings take screens at once; the other days lose little.
                interest *=
                    date.weekday == 1
                    ? plan.retention * plan.retention * plan.retention * plan.retention : plan.retention.squareRoot()
                if plan.hasEvents, day > 6, random.chance(0.03) { expected = expected * 8 + 200 }
            }
            audience.append(Int32(expected))
            total += expected
            prices.append(Self.price(on: date, factor: plan.priceFactor, random: &random))
            hasEnded = day > 5 && expected < dayFactor * 4
        }
        self.audience = audience
        self.prices = prices
    }

    private static func price(on date: KoreanDate, factor: Double, random: inout SeededRandom) -> Int32 {
        let day = AudienceModel.isCultureDay(date) ? 0.74 : date.weekday >= 4 ? 1.03 : 0.97
        let won = AudienceModel.ticketPrice(in: date.year) * factor * day * random.real(in: 0.985...1.015)
        return Int32(won / 10) * 10
    }
}

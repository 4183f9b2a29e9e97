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

    func price(on date: KoreanDate) -> Int {
        let index = date - first
        return prices.indices.contains(index) ? Int(prices[index]) : 0
    }
}

extension TheatricalRun {
    struct Plan {
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

/// The attendance of all cinemas on a day, whatever they show: 1 is a normal Friday.
enum AudienceModel {
    static func attendanceFactor(on date: KoreanDate) -> Double {
        yearFactor(date.year) * seasonFactor(date.month, date.day) * weekdayFactor(date)
    }

    /// Returns the average price of a ticket, in won.
    static func ticketPrice(in year: Int) -> Double {
        switch year {
        case ...2008: 6300
        case ...2012: 7400
        case ...2017: 7800
        case ...2019: 8400
        case ...2021: 9200
        default: 9900
        }
    }

    /// The market grew until 2013, stayed level, collapsed in 2020 and has partly recovered.
    private static func yearFactor(_ year: Int) -> Double {
        switch year {
        case ...2003: 0.55
        case 2004...2012: 0.55 + 0.05 * Double(year - 2003)
        case 2013...2019: 1.0
        case 2020...2021: 0.28
        case 2022: 0.5
        default: 0.58
        }
    }

    private static func seasonFactor(_ month: Int, _ day: Int) -> Double {
        switch (month, day) {
        case (1, 1...20), (12, 20...): 1.35
        case (7, 20...), (8, 1...20): 1.5
        case (3, _), (4, _), (11, _): 0.75
        default: 1.0
        }
    }

    private static func weekdayFactor(_ date: KoreanDate) -> Double {
        if isHoliday(date.month, date.day) { return 1.9 }
        switch date.weekday {
        case 0, 1: return 0.62
        case 2: return isCultureDay(date) ? 1.05 : 0.7
        case 3: return 0.64
        case 4: return 1.0
        case 5: return 2.1
        default: return 1.85
        }
    }

    /// Whether tickets are cheap: on the last Wednesday of a month.
    static func isCultureDay(_ date: KoreanDate) -> Bool {
        date.weekday == 2 && date.year >= 2014 && (date + 7).month != date.month
    }

    /// Whether a day is a holiday with a fixed date; the two of the lunar calendar are left out.
    private static func isHoliday(_ month: Int, _ day: Int) -> Bool {
        switch (month, day) {
        case (1, 1), (3, 1), (5, 5), (6, 6), (8, 15), (10, 3), (10, 9), (12, 25): true
        default: false
        }
    }
}

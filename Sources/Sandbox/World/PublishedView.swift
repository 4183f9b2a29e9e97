import BoxOffice
import FoundationEssentials

/// What the service knows at one instant: which days it has figures for, and how far each is corrected.
struct PublishedView: Sendable {
    private let instant: Date
    private let newest: KoreanDate
    private let settled: KoreanDate

    init(at instant: Date) {
        self.instant = instant
        // A day's chart is there a few minutes after midnight.
        newest = .yesterday(at: instant.addingTimeInterval(-5 * 60))
        settled = KoreanDate(at: instant) - 4
    }

    /// Whether there are figures for `date`.
    func covers(_ date: KoreanDate) -> Bool {
        date >= .firstChart && date <= newest
    }

    /// Whether the service has an entry for `movie`: from some weeks before it opens, and for old ones that may return.
    func hasHeard(of movie: SimulatedMovie) -> Bool {
        movie.opening <= newest + 45 && movie.opening > .firstChart - 8000
    }

    /// The last week whose openings the service may have heard of.
    var newestWeek: ReleaseWeek {
        ReleaseWeek(of: newest + 45)
    }

    /// Whether `movie` has opened.
    func hasSeen(_ movie: SimulatedMovie) -> Bool {
        movie.opening <= newest + 1
    }

    /// The admissions of a day as they are known: late reports come in and cancelled tickets go out until the day
    /// settles.
    func audience(of movie: SimulatedMovie, on date: KoreanDate, settledAt number: Int) -> Int {
        guard date > settled, number > 0 else { return number }
        var dice = movie.dice(for: .corrections).branch(date.dayNumber)
        let known = corrections(of: date)
        var missing = 0
        for correction in Self.hours.indices {
            // The first brings the reports that were late at night, the others mostly take back cancelled tickets.
            let most = min(number / 8, correction == 0 ? 80 : 8)
            let isCorrected = dice.chance(0.45)
            let change = dice.integer(in: (correction == 0 ? -most / 8 : -most)...(correction == 0 ? most : most / 3))
            if isCorrected, correction >= known { missing += change }
        }
        return number - missing
    }

    /// How many of the four corrections of a day's figures have been made.
    private func corrections(of date: KoreanDate) -> Int {
        let elapsed = instant.timeIntervalSince((date + 1).start)
        return Self.hours.count { elapsed >= $0 * 3600 }
    }

    /// When a day is corrected, in hours after its end; after the last it is settled.
    private static let hours: [Double] = [9, 14, 32, 72]
}

import BoxOffice
import FoundationEssentials

/// The published figures at one instant: which days have figures, and which corrections have been made.
struct PublishedView: Sendable {
    private let instant: Date
    private let newest: KoreanDate
    private let settled: KoreanDate

    init(at instant: Date) {
        self.instant = instant
        // A day's chart is published a few minutes after midnight.
        newest = .yesterday(at: instant.addingTimeInterval(-5 * 60))
        settled = KoreanDate(at: instant) - 4
    }

    func covers(_ date: KoreanDate) -> Bool {
        date >= .firstChart && date <= newest
    }

    /// Whether the service lists `movie`: from some weeks before it opens, and old movies that may be re-released.
    func lists(_ movie: SimulatedMovie) -> Bool {
        movie.opening <= newest + 45 && movie.opening > .firstChart - 8000
    }

    /// The last week whose openings the service may list.
    var newestWeek: ReleaseWeek {
        ReleaseWeek(of: newest + 45)
    }

    func hasOpened(_ movie: SimulatedMovie) -> Bool {
        movie.opening <= newest + 1
    }

    /// Returns the published audience of a day: late reports add to it and cancelled tickets reduce it until it settles.
    func audience(of movie: SimulatedMovie, on date: KoreanDate, settledAt number: Int) -> Int {
        guard date > settled, number > 0 else { return number }
        var random = movie.random(for: .corrections).branch(date.dayNumber)
        let published = publishedCorrections(of: date)
        var missing = 0
        for correction in Self.hours.indices {
            // The first correction adds late reports; the others mostly remove cancelled tickets.
            let most = min(number / 8, correction == 0 ? 80 : 8)
            let isCorrected = random.chance(0.45)
            let change = random.integer(in: (correction == 0 ? -most / 8 : -most)...(correction == 0 ? most : most / 3))
            if isCorrected, correction >= published { missing += change }
        }
        return number - missing
    }

    /// Returns how many of the four corrections of a day have been published.
    private func publishedCorrections(of date: KoreanDate) -> Int {
        let elapsed = instant.timeIntervalSince((date + 1).start)
        return Self.hours.count { elapsed >= $0 * 3600 }
    }

    /// The times of the corrections, in hours after the end of the day; the last one settles it.
    private static let hours: [Double] = [9, 14, 32, 72]
}

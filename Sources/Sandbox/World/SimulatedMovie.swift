import BoxOffice

/// A movie of the generated world, with its audience in the cinemas.
struct SimulatedMovie: Sendable {
    let id: SimulatedMovieID
    let seed: UInt64
    let code: String
    let opening: KoreanDate
    let isKorean: Bool
    let isDiverse: Bool
    /// Whether the service does not publish the opening day.
    let hidesOpening: Bool
    /// The first run and, for some movies, a re-release years later.
    let theatricalRuns: [TheatricalRun]
    let random: SeededRandom

    /// The aspects of a movie; each has its own branch of random numbers.
    enum Aspect: Int {
        case firstRun, secondRun, rerelease, areas, corrections, title, facts, images, poster
    }

    static func random(of id: SimulatedMovieID, seed: UInt64) -> SeededRandom {
        SeededRandom(seed: seed).branch(id.week.number).branch(id.slot)
    }

    func random(for aspect: Aspect) -> SeededRandom {
        random.branch(aspect.rawValue)
    }

    init(_ id: SimulatedMovieID, seed: UInt64) {
        let movie = Self.random(of: id, seed: seed)
        var random = movie
        let size = Size.of(slot: id.slot)
        self.id = id
        self.seed = seed
        self.random = movie
        code = id.code
        isDiverse = size == .small && random.chance(0.75)
        isKorean = random.chance(size == .small ? 0.4 : 0.52)
        hidesOpening = size == .small && random.chance(0.03)
        let weekday = random.unit()
        opening = id.week.monday + (weekday < 0.62 ? 2 : weekday < 0.93 ? 3 : random.integer(in: 0...6))

        var plan = TheatricalRun.Plan(
            opening: opening,
            scale: size.scale * SeededRandom.approximateExp(size.spread * random.bellCurve()),
            variability: size.variability,
            retention: random.real(in: size.retentions),
            wordOfMouth: random.chance(0.15) ? random.real(in: 0.3...1.4) : 0,
            previews: Self.previews(before: opening, size: size, random: &random),
            priceFactor: random.real(in: 0.9...1.08),
            weekendFactor: random.real(in: 0.6...1.45),
            hasEvents: size == .small || size == .middling)
        var theatricalRuns = [TheatricalRun(plan, random: movie.branch(Aspect.firstRun.rawValue))]
        if let gap = Self.weeksToRerelease(of: id, seed: seed) {
            plan.opening = opening + 7 * gap
            plan.scale = size.rereleaseScale * SeededRandom.approximateExp(0.8 * random.bellCurve())
            plan.retention = random.real(in: 0.9...0.96)
            plan.wordOfMouth = 0
            plan.previews = []
            theatricalRuns.append(TheatricalRun(plan, random: movie.branch(Aspect.secondRun.rawValue)))
        }
        self.theatricalRuns = theatricalRuns
    }

    /// Returns the weeks after which a movie is re-released: 1, 3, 10 or 20 years; nil for most movies.
    static func weeksToRerelease(of id: SimulatedMovieID, seed: UInt64) -> Int? {
        var random = random(of: id, seed: seed).branch(Aspect.rerelease.rawValue)
        guard Size.of(slot: id.slot) != .small, random.chance(0.1) else { return nil }
        return random.pick(rereleaseGaps)
    }

    /// The possible times of a re-release, in weeks after the opening.
    static let rereleaseGaps = [52, 156, 522, 1044]

    private static func previews(
        before opening: KoreanDate, size: Size, random: inout SeededRandom
    ) -> [(daysBefore: Int, part: Double)] {
        guard random.chance(0.35) else { return [] }
        let part = random.chance(0.3) ? random.real(in: 0.1...0.3) : random.real(in: 0.005...0.04)
        let sunday = opening.weekday + 1
        let weekend = random.chance(0.3) ? sunday + 7 : sunday
        let days = random.chance(0.6) ? [weekend, weekend + 1] : [1]
        return days.filter { $0 <= TheatricalRun.earliestPreview }.map { ($0, part) }
    }

    /// The size of a release. The first opening of a week is the largest.
    struct Size: Equatable {
        /// The audience on a normal Friday of the first week.
        let scale: Double
        /// The variation between movies of this size.
        let spread: Double
        /// The variation between single days.
        let variability: Double
        /// The part of the interest that remains after a day, averaged over a week.
        let retentions: ClosedRange<Double>

        var rereleaseScale: Double { self == .middling ? 1_200 : 4_000 }

        static let blockbuster = Size(scale: 80_000, spread: 0.95, variability: 0.1, retentions: 0.93...0.96)
        static let wide = Size(scale: 22_000, spread: 1.05, variability: 0.16, retentions: 0.9...0.955)
        static let middling = Size(scale: 4_200, spread: 1.05, variability: 0.28, retentions: 0.88...0.95)
        static let small = Size(scale: 330, spread: 1.2, variability: 0.28, retentions: 0.88...0.96)

        static func of(slot: Int) -> Size {
            switch slot {
            case 0: .blockbuster
            case 1: .wide
            case 2...4: .middling
            default: .small
            }
        }
    }

    func sum(
        over days: some Sequence<KoreanDate>, areaShare: AreaShare, as publishedView: PublishedView
    ) -> (audience: Int, sales: Int) {
        var audience = 0
        var sales = 0
        for day in days {
            for theatricalRun in theatricalRuns {
                let settled = theatricalRun.audience(on: day)
                guard settled > 0 else { continue }
                let part = areaShare.part(of: publishedView.audience(of: self, on: day, settledAt: settled))
                audience += part
                sales += part * theatricalRun.price(on: day)
            }
        }
        return (audience, sales)
    }

    /// Returns the audience and sales since the first showing, through `last`.
    func total(through last: KoreanDate, areaShare: AreaShare, as publishedView: PublishedView) -> (
        audience: Int, sales: Int
    ) {
        let days = theatricalRuns.lazy.filter { $0.first <= last }.flatMap { theatricalRun in
            (theatricalRun.first.dayNumber...min(last, theatricalRun.last).dayNumber).map(KoreanDate.init(dayNumber:))
        }
        return sum(over: days, areaShare: areaShare, as: publishedView)
    }

    /// Returns the screens and showings of a day; both grow with the audience.
    func screens(on day: KoreanDate, areaShare: AreaShare) -> (screens: Int, showings: Int) {
        let audience = theatricalRuns.reduce(0) { $0 + $1.audience(on: day) }
        guard audience > 0 else { return (0, 0) }
        let attendance = Double(audience)
        let reach = 3.8 + Double(id.slot % 5) * 0.4
        let screens = max(1, areaShare.part(of: min(2600, Int(reach * attendance.squareRoot()))))
        return (screens, max(screens, Int(Double(screens) * (1.2 + 3.2 * attendance / (attendance + 25_000)))))
    }
}

// MARK: - Titles

extension SimulatedMovie {
    /// The Korean title as the service publishes it, sometimes with a stray space, tab or no-break space.
    var title: String {
        var random = random(for: .title).branch(1)
        let title = plainTitle
        switch random.unit() {
        case ..<0.015: return title + " "
        case ..<0.02: return " " + title
        case ..<0.027: return title + "\t"
        case ..<0.034: return title + "\u{A0}"
        case ..<0.04: return String(title.map { $0 == " " ? "\u{A0}" : $0 })
        default: return title
        }
    }

    var plainTitle: String { MovieTitle(of: id, seed: seed).korean }

    /// The English title as the service publishes it; empty for a few movies, as in reality.
    var titleEnglish: String {
        var random = random(for: .title).branch(2)
        return random.chance(0.97) ? MovieTitle(of: id, seed: seed).english : ""
    }
}

// MARK: - Areas

/// An area's share of a movie's audience.
///
/// It is an interval of the whole, so that the parts of all areas add up exactly to the whole.
struct AreaShare: Sendable {
    let lower: Int
    let upper: Int
    let whole: Int

    static let country = AreaShare(lower: 0, upper: 1, whole: 1)

    func part(of number: Int) -> Int {
        number * upper / whole - number * lower / whole
    }
}

extension SimulatedMovie {
    /// The share of each of the council's areas in the audience, in thousandths.
    private static let areaWeights = [262, 236, 25, 28, 35, 38, 54, 31, 27, 12, 70, 55, 34, 20, 43, 34, 6]

    /// Returns the share of an area; it differs from movie to movie. Returns nil if the area does not exist.
    func areaShare(of area: Market.Area?) -> AreaShare? {
        guard let area else { return .country }
        var random = random(for: .areas)
        var bounds: (lower: Int, upper: Int)?
        var sum = 0
        for (other, average) in zip(Market.areas, Self.areaWeights) {
            let weight = average * random.integer(in: 60...140)
            if other.area == area { bounds = (sum, sum + weight) }
            sum += weight
        }
        return bounds.map { AreaShare(lower: $0.lower, upper: $0.upper, whole: sum) }
    }
}

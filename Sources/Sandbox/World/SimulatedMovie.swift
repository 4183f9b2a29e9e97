import BoxOffice

/// A film of the made-up world: what it is, and how it does in the cinemas.
struct SimulatedMovie: Sendable {
    let id: SimulatedMovieID
    let code: String
    let opening: KoreanDate
    let isKorean: Bool
    let isDiverse: Bool
    /// Whether the service does not know the opening day.
    let hidesOpening: Bool
    /// The first run and, for some, a second one years later.
    let runs: [TheatricalRun]
    /// Dice for whatever else is asked about the film.
    let dice: SeededRandom

    /// What the dice of a film are thrown for; each aspect has dice of its own.
    enum Aspect: Int {
        case run
        case secondRun
        case `return`
        case areas
        case corrections
        case title
        case facts
        case images
        case poster
    }

    /// The dice that everything about a film is thrown with.
    static func dice(of id: SimulatedMovieID, seed: UInt64) -> SeededRandom {
        SeededRandom(seed: seed).branch(id.week.number).branch(id.slot)
    }

    func dice(for aspect: Aspect) -> SeededRandom {
        dice.branch(aspect.rawValue)
    }

    init(_ id: SimulatedMovieID, seed: UInt64) {
        let movie = Self.dice(of: id, seed: seed)
        var dice = movie
        let size = Size(slot: id.slot)
        self.id = id
        self.dice = movie
        code = id.code
        isDiverse = size == .small && dice.chance(0.75)
        isKorean = dice.chance(size == .small ? 0.4 : 0.52)
        hidesOpening = size == .small && dice.chance(0.03)
        let weekday = dice.unit()
        opening = id.week.monday + (weekday < 0.62 ? 2 : weekday < 0.93 ? 3 : dice.integer(in: 0...6))

        var plan = TheatricalRun.Plan(
            opening: opening,
            scale: size.scale * SeededRandom.growth(size.spread * dice.bell()),
            unrest: size.unrest,
            hold: dice.real(in: size.holds),
            wordOfMouth: dice.chance(0.15) ? dice.real(in: 0.3...1.4) : 0,
            previews: Self.previews(before: opening, size: size, dice: &dice),
            priceFactor: dice.real(in: 0.9...1.08),
            weekends: dice.real(in: 0.6...1.45),
            hasEvents: size == .small || size == .middling)
        var runs = [TheatricalRun(plan, dice: movie.branch(Aspect.run.rawValue))]
        if let gap = Self.return(of: id, seed: seed) {
            plan.opening = opening + 7 * gap
            plan.scale = size.comeback * SeededRandom.growth(0.8 * dice.bell())
            plan.hold = dice.real(in: 0.9...0.96)
            plan.wordOfMouth = 0
            plan.previews = []
            runs.append(TheatricalRun(plan, dice: movie.branch(Aspect.secondRun.rawValue)))
        }
        self.runs = runs
    }

    /// After how many weeks a film returns to the cinemas: after 1, 3, 10 or 20 years, or, mostly, never.
    static func `return`(of id: SimulatedMovieID, seed: UInt64) -> Int? {
        var dice = dice(of: id, seed: seed).branch(Aspect.return.rawValue)
        guard Size(slot: id.slot) != .small, dice.chance(0.1) else { return nil }
        return dice.pick(returns)
    }

    /// The weeks after which films return.
    static let returns = [52, 156, 522, 1044]

    private static func previews(
        before opening: KoreanDate, size: Size, dice: inout SeededRandom
    ) -> [(daysBefore: Int, part: Double)] {
        guard dice.chance(0.35) else { return [] }
        let part = dice.chance(0.3) ? dice.real(in: 0.1...0.3) : dice.real(in: 0.005...0.04)
        let sunday = opening.weekday + 1
        let weekend = dice.chance(0.3) ? sunday + 7 : sunday
        let days = dice.chance(0.6) ? [weekend, weekend + 1] : [1]
        return days.filter { $0 <= TheatricalRun.earliestPreview }.map { ($0, part) }
    }
}

extension SimulatedMovie {
    /// How widely a film is released; of the films that open in a week the first is the widest.
    enum Size {
        case blockbuster
        case wide
        case middling
        case small

        init(slot: Int) {
            self =
                switch slot {
                case 0: .blockbuster
                case 1: .wide
                case 2...4: .middling
                default: .small
                }
        }

        /// Admissions on a common Friday of the first week.
        var scale: Double {
            switch self {
            case .blockbuster: 80_000
            case .wide: 22_000
            case .middling: 4_200
            case .small: 330
            }
        }

        /// How far films of this size lie apart.
        var spread: Double { self == .small ? 1.2 : 1.05 }

        /// How far single days stray from what was to be expected.
        var unrest: Double {
            switch self {
            case .blockbuster: 0.1
            case .wide: 0.16
            case .middling, .small: 0.28
            }
        }

        /// What remains of a day's interest the day after, over a week.
        var holds: ClosedRange<Double> {
            switch self {
            case .blockbuster: 0.92...0.965
            case .wide: 0.9...0.955
            case .middling: 0.88...0.95
            case .small: 0.88...0.96
            }
        }

        /// Admissions on a common Friday of a second run.
        var comeback: Double { self == .middling ? 1_200 : 4_000 }
    }
}

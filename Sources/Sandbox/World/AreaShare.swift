import BoxOffice

/// An area's share of a movie's audience.
///
/// It is an interval of the whole, so that the parts of all areas add up exactly to the whole.
struct AreaShare: Sendable {
    let lower: Int
    let upper: Int
    let whole: Int

    static let country = AreaShare(lower: 0, upper: 1, whole: 1)

    /// Returns the part of `number` that belongs to the area.
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

/// The part of a film's admissions that an area has: those between two marks of a ladder, so that the parts of all
/// areas add up to the whole, to the last ticket.
struct AreaShare: Sendable {
    let lower: Int
    let upper: Int
    let whole: Int

    /// The whole country.
    static let country = AreaShare(lower: 0, upper: 1, whole: 1)

    func part(of number: Int) -> Int {
        number * upper / whole - number * lower / whole
    }
}

extension SimulatedMovie {
    /// The film's part in an area, or nil if there is no such area: films do better here and worse there.
    func slice(area code: String?) -> AreaShare? {
        guard let code else { return .country }
        var dice = dice(for: .areas)
        var bounds: (lower: Int, upper: Int)?
        var sum = 0
        for area in Area.all {
            let weight = area.weight * dice.integer(in: 60...140)
            if area.code == code { bounds = (sum, sum + weight) }
            sum += weight
        }
        return bounds.map { AreaShare(lower: $0.lower, upper: $0.upper, whole: sum) }
    }
}

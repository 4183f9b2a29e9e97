/// A deterministic random number generator (SplitMix64) with branches, so that every part of the world can be generated
/// on its own and in any order.
///
/// Real numbers use only multiplication, addition and square roots, which IEEE 754 rounds identically on all machines;
/// `exp` and `pow` differ between mathematics libraries.
struct SeededRandom: Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// Returns an independent generator for `value`. Numbers drawn from this generator do not change it.
    func branch(_ value: Int) -> SeededRandom {
        SeededRandom(seed: Self.mix(state ^ Self.mix(UInt64(bitPattern: Int64(value)) &+ Self.step)))
    }

    mutating func next() -> UInt64 {
        state &+= Self.step
        return Self.mix(state)
    }

    /// Returns a number from 0 up to, but not including, 1.
    mutating func unit() -> Double {
        Double(next() >> 11) / Double(1 << 53)
    }

    mutating func real(in range: ClosedRange<Double>) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * unit()
    }

    mutating func integer(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    mutating func chance(_ probability: Double) -> Bool {
        unit() < probability
    }

    mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
        choices[Int(next() % UInt64(choices.count))]
    }

    /// Returns a number from an approximate normal distribution around 0; it is almost never beyond 3.
    mutating func bellCurve() -> Double {
        (unit() + unit() + unit() + unit() - 2) * 1.7
    }

    /// Returns an approximation of `exp(x)`: (1 + x/64)^64.
    static func approximateExp(_ x: Double) -> Double {
        var power = 1 + x / 64
        for _ in 0..<6 {
            power *= power
        }
        return power
    }

    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

    private static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

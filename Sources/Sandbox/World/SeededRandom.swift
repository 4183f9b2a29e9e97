/// Numbers that follow from a seed and from nothing else: SplitMix64, with branches so that any part of the world can
/// be thrown again by itself, in any order.
///
/// Real numbers are made by multiplication, addition and square roots alone, which IEEE 754 rounds the same way
/// everywhere; `exp` and `pow` would tie the world to one machine's mathematics library.
struct SeededRandom: Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// Dice of their own for `value`, the same whatever was thrown from these in between.
    func branch(_ value: Int) -> SeededRandom {
        SeededRandom(seed: Self.mix(state ^ Self.mix(UInt64(bitPattern: Int64(value)) &+ Self.step)))
    }

    mutating func next() -> UInt64 {
        state &+= Self.step
        return Self.mix(state)
    }

    /// A number from 0 up to, but not including, 1.
    mutating func unit() -> Double {
        Double(next() >> 11) / Double(1 << 53)
    }

    /// A number in `range`.
    mutating func real(in range: ClosedRange<Double>) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * unit()
    }

    /// A number in `range`.
    mutating func integer(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    /// True with the given probability.
    mutating func chance(_ probability: Double) -> Bool {
        unit() < probability
    }

    /// One of `choices`, which must not be empty.
    mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
        choices[Int(next() % UInt64(choices.count))]
    }

    /// A number around 0 that is almost never beyond 3, in the shape of a bell.
    mutating func bell() -> Double {
        (unit() + unit() + unit() + unit() - 2) * 1.7
    }

    /// `e` to the power of `x`, nearly: (1 + x/64)^64.
    static func growth(_ x: Double) -> Double {
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

/// A seeded one-to-one rearrangement of the numbers from 0 up to, but not including, `count`, without a table.
struct Permutation: Sendable {
    let count: Int
    private let random: SeededRandom
    private let halfBits: Int

    init(count: Int, random: SeededRandom) {
        precondition(count > 0, "nothing to rearrange")
        self.count = count
        self.random = random
        var bits = 1
        while 1 << (2 * bits) < count { bits += 1 }
        halfBits = bits
    }

    /// Returns the number that takes the place of `number`.
    func callAsFunction(_ number: Int) -> Int {
        // The network rearranges a power of four of numbers. Those beyond `count` are passed through it again, which
        // ends below `count` because the start was.
        var place = number
        repeat { place = scramble(place) } while place >= count
        return place
    }

    /// Returns the number behind a Feistel network of four rounds.
    private func scramble(_ number: Int) -> Int {
        let mask = (1 << halfBits) - 1
        var (left, right) = (number >> halfBits, number & mask)
        for round in 0..<4 {
            var random = random.branch(round).branch(right)
            (left, right) = (right, left ^ (Int(truncatingIfNeeded: random.next()) & mask))
        }
        return left << halfBits | right
    }
}

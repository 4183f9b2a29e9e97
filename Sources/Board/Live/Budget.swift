import Operations

/// A bucket that fills steadily and from which each request takes one.
struct Budget: Sendable {
    private let size: Double
    private let perSecond: Double
    private let age: Stopwatch
    private var level: Double
    private var seen = Duration.zero

    /// Makes a full one.
    init(_ size: Double, perSecond: Double, clock: some Clock<Duration>) {
        self.size = size
        self.perSecond = perSecond
        age = Stopwatch(clock)
        level = size
    }

    /// Takes one; false if none is left.
    mutating func take() -> Bool {
        let now = age.elapsed
        level = min(size, level + (now - seen) / .seconds(1) * perSecond)
        seen = now
        guard level >= 1 else { return false }
        level -= 1
        return true
    }
}

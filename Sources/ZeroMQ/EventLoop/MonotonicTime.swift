/// An instant of the machine's monotonic clock, which no one can set.
///
/// The I/O thread compares times in each iteration. `ContinuousClock.Instant` is opaque to the compiler, so copying an
/// optional one is a call each time; copying a `Duration` is not.
struct MonotonicTime: Comparable, Sendable {
    private let sinceBoot: Duration

    static var now: MonotonicTime {
        MonotonicTime(sinceBoot: ContinuousClock().systemEpoch.duration(to: .now))
    }

    static func < (first: MonotonicTime, second: MonotonicTime) -> Bool { first.sinceBoot < second.sinceBoot }

    static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        MonotonicTime(sinceBoot: time.sinceBoot + duration)
    }

    static func - (end: MonotonicTime, start: MonotonicTime) -> Duration { end.sinceBoot - start.sinceBoot }
}

extension Duration {
    /// The duration in whole milliseconds, rounded up, never negative.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        return max(0, Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}

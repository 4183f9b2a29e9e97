import Concurrency

/// Sorts durations into buckets, from any thread; made by `Metrics`.
public final class Histogram: Sendable {
    /// What was measured so far.
    private struct BucketCounts {
        /// How many fell into each bucket and into none before it; the last is for what is longer than all bounds.
        var counts = [Int](repeating: 0, count: bounds.count + 1)
        var sum = 0.0
    }

    /// The buckets' upper bounds in seconds: from an answer out of the log to one that an upstream was waited for.
    static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

    private let tally = Locked(BucketCounts())

    init() {}

    /// Takes note of a duration; one below zero, after a clock was set back, counts as none.
    public func observe(_ duration: Duration) {
        let seconds = max(0, duration / .seconds(1))
        let bucket = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
        tally.withLock { tally in
            tally.counts[bucket] += 1
            tally.sum += seconds
        }
    }

    /// Buckets, sum and count as one moment has them; each bucket holds those before it, too.
    func samples(_ labels: MetricLabels) -> [MetricSample] {
        let tally = tally.withLock { $0 }
        var count = 0
        var samples: [MetricSample] = []
        for (bound, more) in zip(Self.bounds + [.infinity], tally.counts) {
            count += more
            samples.append(
                MetricSample(suffix: "_bucket", labels: labels.adding("le", bound.metricText), value: Double(count)))
        }
        samples.append(MetricSample(suffix: "_sum", labels: labels, value: tally.sum))
        samples.append(MetricSample(suffix: "_count", labels: labels, value: Double(count)))
        return samples
    }
}

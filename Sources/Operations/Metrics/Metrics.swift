import Concurrency

/// The figures that a process keeps of itself, told as Prometheus text when somebody asks.
///
/// Some are counted as things happen (`Counter`, `Histogram`), the others are read when they are told. What tells the
/// samples of a counted metric apart is known when the metric is made, and each of them is there from the start: their
/// number is bounded whatever clients say, and the first event of a kind is seen as an increase.
public final class Metrics: Sendable {
    /// What tells a sample from the others of its metric.
    public typealias Labels = KeyValuePairs<StaticString, String>

    private let families = Locked<[MetricFamily]>([])

    /// Makes a registry without any figure.
    public init() {}

    /// Makes a counter.
    public func counter(_ name: StaticString, _ help: StaticString) -> Counter {
        let counter = Counter()
        add(MetricFamily(name, help, .counter) { [MetricSample(value: Double(counter.count))] })
        return counter
    }

    /// Makes a counter for each of `keys`.
    public func counters<Key: Hashable>(
        _ name: StaticString, _ help: StaticString, for keys: some Sequence<Key>, labels: (Key) -> Labels
    ) -> [Key: Counter] {
        let members = keys.map { (key: $0, labels: MetricLabels(labels($0)), counter: Counter()) }
        let counted = members.map { ($0.labels, $0.counter) }
        add(
            MetricFamily(name, help, .counter) {
                counted.map { labels, counter in MetricSample(labels: labels, value: Double(counter.count)) }
            })
        return Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.counter) })
    }

    /// Makes a histogram of durations.
    public func histogram(_ name: StaticString, _ help: StaticString) -> Histogram {
        let histogram = Histogram()
        add(MetricFamily(name, help, .histogram) { histogram.samples(MetricLabels()) })
        return histogram
    }

    /// Makes a histogram of durations for each of `keys`.
    public func histograms<Key: Hashable>(
        _ name: StaticString, _ help: StaticString, for keys: some Sequence<Key>, labels: (Key) -> Labels
    ) -> [Key: Histogram] {
        let members = keys.map { (key: $0, labels: MetricLabels(labels($0)), histogram: Histogram()) }
        let measured = members.map { ($0.labels, $0.histogram) }
        add(
            MetricFamily(name, help, .histogram) {
                measured.flatMap { labels, histogram in histogram.samples(labels) }
            })
        return Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.histogram) })
    }

    /// Tells what `read` returns at that moment, and nothing if it returns nil or throws.
    public func gauge(
        _ name: StaticString, _ help: StaticString, read: @escaping @Sendable () async throws -> Double?
    ) {
        add(MetricFamily(name, help, .gauge) { try await read().map { [MetricSample(value: $0)] } ?? [] })
    }

    /// Tells what `read` returns at that moment, one sample for each value of the label, and nothing if it throws.
    ///
    /// The values of the label must be few and our own: never an id, a title, or anything else that clients send.
    public func gauges(
        _ name: StaticString, _ help: StaticString, by label: StaticString,
        read: @escaping @Sendable () async throws -> [String: Double]
    ) {
        add(MetricFamily(name, help, .gauge) { Self.samples(try await read(), by: label) })
    }

    /// As `gauge`, for what is counted elsewhere and only grows.
    public func counter(
        _ name: StaticString, _ help: StaticString, read: @escaping @Sendable () async throws -> Double?
    ) {
        add(MetricFamily(name, help, .counter) { try await read().map { [MetricSample(value: $0)] } ?? [] })
    }

    /// As `gauges`, for what is counted elsewhere and only grows.
    public func counters(
        _ name: StaticString, _ help: StaticString, by label: StaticString,
        read: @escaping @Sendable () async throws -> [String: Double]
    ) {
        add(MetricFamily(name, help, .counter) { Self.samples(try await read(), by: label) })
    }

    /// Everything in the text format that Prometheus reads (0.0.4), in the order in which it was added.
    public func text() async -> String {
        var text = ""
        for family in families.withLock({ $0 }) { text += await family.text() }
        return text
    }

    private func add(_ family: MetricFamily) {
        families.withLock { families in
            precondition(!families.contains { $0.name == family.name }, "two metrics are called \(family.name)")
            families.append(family)
        }
    }

    private static func samples(_ values: [String: Double], by label: StaticString) -> [MetricSample] {
        values.sorted { $0.key < $1.key }.map { value, figure in
            MetricSample(labels: MetricLabels([label: value]), value: figure)
        }
    }
}

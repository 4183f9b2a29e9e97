import Concurrency
public import FoundationEssentials
import Glibc
import Synchronization

/// A registry of metrics in the text format of Prometheus.
///
/// ``Counter`` and ``Histogram`` are updated as events happen; gauges are read at each scrape. The label values of counters
/// and histograms are fixed when the metric is made, and every sample exists from the start, with zero. So clients cannot
/// add samples, and the first event of a kind is visible as an increase.
public final class Metrics: Sendable {
    /// The labels that distinguish a sample from the others of its metric.
    public typealias Labels = KeyValuePairs<StaticString, String>

    private struct Family: Sendable {
        let name: String
        let help: String
        let kind: String
        let read: @Sendable () async throws -> [MetricSample]
    }

    private let families = Locked<[Family]>([])

    /// Makes an empty registry.
    public init() {}

    // MARK: Counters and histograms

    /// Adds a counter and returns it.
    public func counter(_ name: StaticString, _ help: StaticString) -> Counter {
        let counter = Counter()
        add(name, help, "counter") { [("", "", Double(counter.count))] }
        return counter
    }

    /// Adds a counter with one sample for each of `keys`, and returns the counters by key.
    public func counters<Key: Hashable>(
        _ name: StaticString, _ help: StaticString, for keys: some Sequence<Key>, labels: (Key) -> Labels
    ) -> [Key: Counter] {
        let members = keys.map { ($0, labels: Self.text(labels($0)), counter: Counter()) }
        let counted = members.map { ($0.labels, $0.counter) }
        add(name, help, "counter") { counted.map { ("", $0, Double($1.count)) } }
        return Dictionary(uniqueKeysWithValues: members.map { ($0.0, $0.counter) })
    }

    /// Adds a histogram of durations in seconds and returns it.
    public func histogram(_ name: StaticString, _ help: StaticString) -> Histogram {
        let histogram = Histogram()
        add(name, help, "histogram") { histogram.samples("") }
        return histogram
    }

    /// Adds a histogram of durations with the given labels for each of `keys`, and returns the histograms by key.
    public func histograms<Key: Hashable>(
        _ name: StaticString, _ help: StaticString, for keys: some Sequence<Key>, labels: (Key) -> Labels
    ) -> [Key: Histogram] {
        let members = keys.map { ($0, labels: Self.text(labels($0)), histogram: Histogram()) }
        let measured = members.map { ($0.labels, $0.histogram) }
        add(name, help, "histogram") { measured.flatMap { $1.samples($0) } }
        return Dictionary(uniqueKeysWithValues: members.map { ($0.0, $0.histogram) })
    }

    // MARK: Values that are read at a scrape

    /// Adds a gauge. The scrape has no sample if `read` returns nil or throws.
    public func gauge(
        _ name: StaticString, _ help: StaticString, read: @escaping @Sendable () async throws -> Double?
    ) {
        add(name, help, "gauge") { try await read().map { [("", "", $0)] } ?? [] }
    }

    /// Adds a gauge with one sample for each label value that `read` returns. The scrape has no sample if `read` throws.
    ///
    /// Label values must be few and chosen by marquee: never an id, a title, or other text from clients.
    public func gauges(
        _ name: StaticString, _ help: StaticString, by label: StaticString,
        read: @escaping @Sendable () async throws -> [String: Double]
    ) {
        add(name, help, "gauge") { Self.samples(try await read(), by: label) }
    }

    /// Adds a counter whose total is counted elsewhere, read as by ``gauge(_:_:read:)``.
    public func counter(
        _ name: StaticString, _ help: StaticString, read: @escaping @Sendable () async throws -> Double?
    ) {
        add(name, help, "counter") { try await read().map { [("", "", $0)] } ?? [] }
    }

    /// Adds a counter whose totals are counted elsewhere, read as by ``gauges(_:_:by:read:)``.
    public func counters(
        _ name: StaticString, _ help: StaticString, by label: StaticString,
        read: @escaping @Sendable () async throws -> [String: Double]
    ) {
        add(name, help, "counter") { Self.samples(try await read(), by: label) }
    }

    // MARK: Exposition

    /// Returns all metrics in the text format of Prometheus (0.0.4), in the order in which they were added.
    public func text() async -> String {
        var text = ""
        for family in families.withLock({ $0 }) {
            text += "# HELP \(family.name) \(family.help)\n# TYPE \(family.name) \(family.kind)\n"
            // The gap shows that there is no value; the part that failed logs why.
            for (suffix, labels, value) in (try? await family.read()) ?? [] {
                text += "\(family.name)\(suffix)\(labels.isEmpty ? "" : "{\(labels)}") \(value.metricText)\n"
            }
        }
        return text
    }

    private func add(
        _ name: StaticString, _ help: StaticString, _ kind: String,
        read: @escaping @Sendable () async throws -> [MetricSample]
    ) {
        let family = Family(name: name.description, help: help.description, kind: kind, read: read)
        families.withLock { families in
            precondition(!families.contains { $0.name == family.name }, "two metrics have the name \(family.name)")
            families.append(family)
        }
    }

    private static func samples(_ values: [String: Double], by label: StaticString) -> [MetricSample] {
        values.sorted { $0.key < $1.key }.map { ("", text([label: $0]), $1) }
    }

    private static func text(_ labels: Labels) -> String {
        labels.map { "\($0)=\"\($1.metricEscaped)\"" }.joined(separator: ",")
    }
}

/// What follows the metric's name (`_sum`), the labels without braces, and the value.
private typealias MetricSample = (suffix: String, labels: String, value: Double)

/// A count that only grows, made by ``Metrics``. Any thread may add to it.
public final class Counter: Sendable {
    private let total = Atomic<Int>(0)

    init() {}

    /// Adds to the count.
    ///
    /// - Precondition: `amount` is not negative.
    public func add(_ amount: Int = 1) {
        precondition(amount >= 0, "a counter only grows")
        total.wrappingAdd(amount, ordering: .relaxed)
    }

    /// The current count.
    public var count: Int { total.load(ordering: .relaxed) }
}

/// A histogram of durations, made by ``Metrics``. Any thread may add to it.
public final class Histogram: Sendable {
    private struct BucketCounts {
        /// The number of durations in each bucket, not cumulative; the last bucket has no upper bound.
        var counts = [Int](repeating: 0, count: bounds.count + 1)
        var sum = 0.0
    }

    /// The upper bounds of the buckets in seconds: from a response out of the log to one that waits for an upstream.
    static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

    private let state = Locked(BucketCounts())

    init() {}

    /// Adds a duration. A negative one, measured while a clock was set back, counts as zero.
    public func observe(_ duration: Duration) {
        let seconds = max(0, duration / .seconds(1))
        let bucket = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
        state.withLock { state in
            state.counts[bucket] += 1
            state.sum += seconds
        }
    }

    /// Returns the cumulative buckets, the sum and the count, all of one moment.
    fileprivate func samples(_ labels: String) -> [MetricSample] {
        let current = state.withLock { $0 }
        let separator = labels.isEmpty ? "" : ","
        var count = 0
        var samples: [MetricSample] = []
        for (bound, added) in zip(Self.bounds + [.infinity], current.counts) {
            count += added
            samples.append(("_bucket", "\(labels)\(separator)le=\"\(bound.metricText)\"", Double(count)))
        }
        return samples + [("_sum", labels, current.sum), ("_count", labels, Double(count))]
    }
}

extension Double {
    /// The number in the text format; a whole number has no decimal point.
    var metricText: String {
        switch self {
        case .infinity: "+Inf"
        case -.infinity: "-Inf"
        case _ where isNaN: "NaN"
        default: Int(exactly: self)?.description ?? description
        }
    }
}

extension String {
    /// The text, escaped for the value of a label.
    fileprivate var metricEscaped: String {
        unicodeScalars.map { scalar in
            switch scalar {
            case "\n": "\\n"
            case "\\", "\"": "\\\(scalar)"
            default: String(scalar)
            }
        }.joined()
    }
}

// MARK: - Process

/// The version of marquee.
public let version = "0.1.0"

/// The process and its machine: `4711@server-1`.
public let processName = "\(ProcessInfo.processInfo.processIdentifier)@\(ProcessInfo.processInfo.hostName)"

extension Metrics {
    /// Adds the version, and the process metrics that Prometheus clients share, as read from Linux.
    ///
    /// - Parameter start: the time at which the process started.
    public func addProcess(startedAt start: Date) {
        gauges("marquee_build_info", "Version of marquee that is running, as a label; always 1.", by: "version") {
            [version: 1]
        }
        counter(
            "marquee_log_lines_dropped_total",
            "Log lines that were not written, because nobody read standard error or it cannot be written."
        ) { Double(LogWriter.standardError.dropped) }
        gauge("process_start_time_seconds", "Start time of the process, in seconds since 1970-01-01 UTC.") {
            start.timeIntervalSince1970
        }
        gauge("process_resident_memory_bytes", "Resident memory of the process.") { residentMemory() }
        gauge("process_open_fds", "Files and sockets that the process has open.") { openFiles() }
        gauge("process_max_fds", "Maximum number of files and sockets that the process can have open.") {
            Double(ProcessLimits.openFiles)
        }
    }
}

/// Returns the resident set size in bytes: the second number in `/proc/self/statm` (proc(5)), which is in pages.
private func residentMemory() -> Double? {
    // The gap in the metric shows that it cannot be read.
    let numbers = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return numbers?.dropFirst().first.flatMap { Double($0) }.map { $0 * Double(sysconf(Int32(_SC_PAGESIZE))) }
}

/// Returns the number of entries in `/proc/self/fd`, without the descriptor that reads them.
private func openFiles() -> Double? {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { Double($0.count - 1) }
}

/// A metric with all its samples, as Prometheus calls it.
struct MetricFamily: Sendable {
    /// What kind it is; the raw value is the word in the text.
    enum Kind: String {
        case counter
        case gauge
        case histogram
    }

    let name: String
    private let help: String
    private let kind: Kind
    private let read: @Sendable () async throws -> [MetricSample]

    init(
        _ name: StaticString, _ help: StaticString, _ kind: Kind,
        read: @escaping @Sendable () async throws -> [MetricSample]
    ) {
        self.name = name.description
        self.help = help.description
        self.kind = kind
        self.read = read
        precondition(self.name.isMetricName, "\(name) is no name of a metric")
    }

    /// The family's lines; a figure that cannot be had at the moment is left out.
    func text() async -> String {
        // Whoever reads it sees by the gap that there is none; why is told by what failed, not by the metrics.
        let samples = (try? await read()) ?? []
        var text = "# HELP \(name) \(help.metricEscaped)\n# TYPE \(name) \(kind.rawValue)\n"
        for sample in samples {
            text += "\(name)\(sample.suffix)\(sample.labels.text) \(sample.value.metricText)\n"
        }
        return text
    }
}

/// One figure of a metric.
struct MetricSample: Sendable {
    var suffix = ""
    var labels = MetricLabels()
    let value: Double
}

/// A sample's labels, as they stand in the text.
struct MetricLabels: Sendable {
    /// Without the braces.
    private var list = ""

    init(_ labels: Metrics.Labels = [:]) {
        for (name, value) in labels {
            precondition(name.description.isLabelName, "\(name) is no name of a label")
            self = adding(name.description, value)
        }
    }

    func adding(_ name: String, _ value: String) -> MetricLabels {
        var labels = self
        labels.list += (list.isEmpty ? "" : ",") + "\(name)=\"\(value.metricEscaped(quotes: true))\""
        return labels
    }

    var text: String { list.isEmpty ? "" : "{\(list)}" }
}

extension Double {
    /// The number as Prometheus reads it; a whole one without a point.
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
    /// The text of a HELP line.
    var metricEscaped: String { metricEscaped(quotes: false) }

    /// The text on one line; with its quotes escaped as well, the value of a label.
    func metricEscaped(quotes: Bool) -> String {
        var result = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    var isMetricName: Bool { isName(alsoOf: ":") }

    /// Prometheus keeps names that begin with two underscores, and `le` in histograms, for itself.
    var isLabelName: Bool { isName() && !hasPrefix("__") && self != "le" }

    private func isName(alsoOf mark: Character? = nil) -> Bool {
        guard let first, !first.isNumber else { return false }
        return allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == mark) }
    }
}

/// A metric with its samples: a metric family in the words of Prometheus.
struct MetricFamily: Sendable {
    /// The type of a metric; the raw value is its name in the text format.
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
    }

    /// Returns the lines of the family, without samples if they cannot be read.
    func text() async -> String {
        // The gap shows that there is no value; the part that failed logs why.
        let samples = (try? await read()) ?? []
        var text = "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        for sample in samples {
            text += "\(name)\(sample.suffix)\(sample.labels.text) \(sample.value.metricText)\n"
        }
        return text
    }
}

struct MetricSample: Sendable {
    var suffix = ""
    var labels = MetricLabels()
    let value: Double
}

/// The labels of a sample in the text format.
struct MetricLabels: Sendable {
    /// The labels without the braces.
    private var list = ""

    init(_ labels: Metrics.Labels = [:]) {
        for (name, value) in labels { self = adding(name.description, value) }
    }

    func adding(_ name: String, _ value: String) -> MetricLabels {
        var labels = self
        labels.list += (list.isEmpty ? "" : ",") + "\(name)=\"\(value.metricEscaped)\""
        return labels
    }

    var text: String { list.isEmpty ? "" : "{\(list)}" }
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
    var metricEscaped: String {
        var result = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"": result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

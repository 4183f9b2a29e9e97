import FoundationEssentials

/// A sink with its name, and what its operator wants of it.
struct ConfiguredSink: Sendable {
    /// The sink's name, by which commands, metrics and the outbox know it.
    let name: String
    /// Where the letters go.
    let sink: any Sink
    /// The language of its letters.
    var language = Language.ko
    /// The rules whose alerts it gets; nil for all.
    var rules: Set<String>?
    /// The least severity that it gets.
    var severity = Alert.Severity.info
    /// How long after an alert of a rule about a film the next one is spared.
    var cooldown: Duration?
    /// When letters go.
    var timetable: DeliveryPolicy
    /// When those are tried again that were not taken.
    var backoff = Backoff()

    /// Makes a recipient who gets everything at once.
    init(_ name: String, _ sink: any Sink) {
        self.name = name
        self.sink = sink
        timetable = DeliveryPolicy(sink: name)
    }

    /// Whether it gets such an alert.
    func wants(_ alert: OutboundAlert) -> Bool {
        alert.severity.weight >= severity.weight && rules?.contains(alert.rule) ?? true
    }
}

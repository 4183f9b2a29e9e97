public import BoxOffice
public import Events

/// Computes the alerts of a worker's log afresh, as a notifier decides them that hears the log from its beginning.
///
/// The same log and the same settings give the same alerts: ids, texts and order, byte for byte. Nothing is published.
public struct AlertReplay: Sendable {
    /// An alert as one line of JSON: the id and the data that its event has.
    private struct Line: Encodable {
        let id: String
        let data: Alert
    }

    private let rules: AlertRules
    private let since: KoreanDate?
    private let learned: SequenceNumber

    /// Makes a replay. Charts up to the place `learned` are known and fire nothing, as those that a notifier found when
    /// it was started for the first time.
    public init(rules: AlertRules, since: KoreanDate? = nil, learned: SequenceNumber = .zero) {
        self.rules = rules
        self.since = since
        self.learned = learned
    }

    /// Hands each alert to `body`, as the JSON `{"data":…,"id":…}`.
    public func run(_ file: LogFile, _ body: ([UInt8]) -> Void) throws {
        try file.read { log, connection in
            var decider = AlertDecider(rules: rules, since: since)
            var decided: Set<String> = []
            var position = SequenceNumber.zero
            var more = true
            while more {
                let page = try log.events(
                    of: .ranking, after: position, prefix: "ranking.day.\(Market.all).", limit: 100, in: connection)
                for event in page.events {
                    for alert in try alerts(at: event, &decider) where decided.insert(alert.id).inserted {
                        body(try JSON.encode(Line(id: alert.id, data: alert)))
                    }
                }
                position = page.position
                more = page.more
            }
        }
    }

    private func alerts(at event: LoggedEvent, _ decider: inout AlertDecider) throws -> [Alert] {
        let place = Alert.Evidence(stream: event.stream, sequence: event.sequence)
        let chart = LoggedChart(try event.data(), at: place)
        let isHistory = since == nil && event.priority == .backfill
        if event.sequence > learned && !isHistory { return decider.take(chart) }
        decider.learn(chart)
        return []
    }
}

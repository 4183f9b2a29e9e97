import BoxOffice
import Events
import Operations

/// Reads the national charts as they are published and decides the alerts, one chart at a time.
struct AlertService: Service {
    let reader: EventReader
    let ledger: Ledger
    let rules: AlertRules
    let since: KoreanDate?
    let logger: Logger
    let metrics: NotifierMetrics
    let clock: any Clock<Duration>
    var crashPoints = CrashPoints.none

    func run() async throws {
        var decider = AlertDecider(rules: rules, since: since)
        for chart in try await ledger.charts(since: since) { decider.learn(chart) }
        var isHearing = false
        _ = try await reader.read { events, isLive -> Never? in
            if isLive, !isHearing {
                isHearing = true
                logger.info("worker heard")
            }
            metrics.read(events.count)
            for event in events { await decide(event, &decider) }
            return nil
        }
    }

    func stop() async {
        await reader.close()
    }

    /// Decides about one event, however long the disk refuses the decision.
    private func decide(_ event: Event, _ decider: inout AlertDecider) async {
        let logger = logger.with([.topic: event.topic, .sequence: event.sequence])
        var pause = Duration.milliseconds(250)
        while !Task.isCancelled {
            do {
                return try await attempt(event, &decider, logger)
            } catch let error as DecodingError {
                return logger.error("a chart cannot be read", [.error: "\(error)"])
            } catch {
                logger.error("a decision cannot be written; it will be tried again", [.error: "\(error)"])
            }
            guard (try? await clock.sleep(for: pause)) != nil else { return }  // cancelled: the process ends
            pause = min(pause * 2, .seconds(30))
        }
    }

    private func attempt(_ event: Event, _ decider: inout AlertDecider, _ logger: Logger) async throws {
        guard case .ranking(let date, .all) = event.topic else { return }
        guard try await !ledger.hasRead(event, about: date) else { return }
        crashPoints.reach(.read)
        let evidence = Alert.Evidence(stream: event.stream, sequence: event.sequence)
        let chart = LoggedChart(try event.data(as: Chart.self), at: evidence)
        // Decided on a copy: a decision that is not on disk was not taken.
        var next = decider
        let alerts = next.take(chart)
        crashPoints.reach(.decided)
        let new = try await ledger.record(chart, from: event, alerts: alerts)
        decider = next
        for alert in new {
            metrics.decide(alert.rule)
            logger.info("alert", [.alert: alert.id, .text: alert.text.ko])
        }
    }
}

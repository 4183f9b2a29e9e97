import BoxOffice
import Events
import Operations

/// Reads the national charts as they are published, each once and in order, and decides the alerts, one chart at a time.
struct AlertService: Service {
    let subscription: Subscription
    let ledger: Ledger
    /// What was known at the start.
    let memory: Memory
    let logger: Logger
    let metrics: NotifierMetrics
    let clock: any Clock<Duration>
    var crashPoints = CrashPoints.none

    func run() async throws {
        var memory = memory
        _ = try await subscription.read { delivery -> Never? in
            await take(delivery, &memory)
            return nil
        }
    }

    func stop() async {
        await subscription.close()
    }

    /// Takes what was read, however long the disk refuses what follows from it.
    private func take(_ delivery: Subscription.Delivery, _ memory: inout Memory) async {
        var pause = Duration.milliseconds(250)
        while !Task.isCancelled {
            do {
                // Decided on a copy: a decision that is not on disk was not taken.
                memory = try await attempt(delivery, memory)
                return
            } catch let error as DecodingError {
                return logger.error("a chart cannot be read", [.error: "\(error)"])
            } catch {
                logger.error("a decision cannot be written; it will be tried again", [.error: "\(error)"])
            }
            guard (try? await clock.sleep(for: pause)) != nil else { return }  // cancelled: the process ends
            pause = min(pause * 2, .seconds(30))
        }
    }

    /// What is known after a delivery, once all that has to outlive the process is on disk.
    private func attempt(_ delivery: Subscription.Delivery, _ memory: Memory) async throws -> Memory {
        var next = memory
        switch delivery {
        case .event(let event, let position):
            next.position = position
            // The other markets' charts fire nothing, and are read past.
            guard case .ranking(day: _, market: .all) = event.topic else { break }
            try await decide(event, &next)
        case .live(let position):
            next.position = position
            next.hasCaughtUp = true
            next.hasUnwrittenCharts = false
            try await ledger.keep(next)
            logger.info("all charts are read", [.date: next.decider.newestDay])
        case .newLog(let position):
            next.position = position
            next.decider.forget()
            next.hasUnwrittenCharts = false
            try await ledger.keep(next)
            logger.warning("the worker has another log: its charts are read anew", [.epoch: position.epoch])
        }
        return next
    }

    private func decide(_ event: Event, _ memory: inout Memory) async throws {
        metrics.read()
        crashPoints.reach(.read)
        let evidence = Alert.Evidence(stream: event.stream, sequence: event.sequence)
        let chart = LoggedChart(try event.data(as: Chart.self), at: evidence)
        guard !memory.isHistory(event) else {
            // Read again after a crash, which costs less than writing each chart down.
            memory.decider.learn(chart)
            memory.hasUnwrittenCharts = true
            return
        }
        let alerts = memory.decider.take(chart)
        crashPoints.reach(.decided)
        // So is what no decision can look at.
        if let horizon = memory.decider.horizon, chart.chart.date < horizon { return }
        let new = try await ledger.record(alerts, on: chart, for: event.correlationID, then: memory)
        memory.hasUnwrittenCharts = false
        let logger = logger.with([.topic: event.topic, .sequence: event.sequence])
        for alert in new { logger.info("alert", [.alert: alert.id, .text: alert.text.ko]) }
    }
}

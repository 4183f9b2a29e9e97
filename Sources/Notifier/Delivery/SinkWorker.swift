import Concurrency
import Contract
import FoundationEssentials
import Networking
import ServiceRuntime
import Storage

/// Sends the messages of the outbox to one sink, in their order, each until it is delivered or dead.
///
/// Each sink has its own worker, so that a slow or unreachable sink delays no other.
///
/// See docs/decisions/delivery-attempts.md.
struct SinkWorker: Sendable {
    let sink: ConfiguredSink
    let outbox: Outbox
    let database: Database
    let clients: SinkClients
    /// The board's public URL, for links; nil if there is none.
    let board: String?
    let wakeSignal: WakeSignal
    let metrics: DeliveryMetrics
    let runtime: Runtime
    /// Returns a random number in 0..<1.
    let fraction: @Sendable () -> Double

    /// The longest time without a look at the outbox: the system clock may have been set.
    private static let maximumSleep = Duration.seconds(3_600)

    /// Works until it is stopped or its task is cancelled.
    func run() async {
        await wakeSignal.runLoop(runtime.clock) {
            guard let wake = await sendDueMessages() else { return Self.maximumSleep }
            return min(.seconds(max(0.001, wake.timeIntervalSince(runtime.wallClock.now()))), Self.maximumSleep)
        }
    }

    /// Makes ``run()`` return after the current attempt.
    func stop() {
        wakeSignal.stop()
    }

    /// Sends what can be sent now. Returns when to try again; nil if only a new alert changes anything.
    private func sendDueMessages() async -> Date? {
        while !Task.isCancelled, !wakeSignal.isStopped {
            let now = runtime.wallClock.now()
            do {
                let (waiting, history) = try await database.read { connection in
                    try outbox.waiting(for: sink, at: now, in: connection)
                }
                switch sink.policy.nextStep(waiting, history, at: now) {
                case .idle: return nil
                case .wait(let date): return date
                case .send(let key, let alerts): try await send(key, alerts)
                }
            } catch {
                runtime.logger.error(
                    "cannot read or write the outbox; the worker tries again",
                    [.sink: sink.name, .error: "\(error)"])
                return now + 10
            }
        }
        return nil
    }

    private func send(_ key: String, _ alerts: [DeliveryPolicy.WaitingAlert]) async throws {
        let began = runtime.wallClock.now()
        let attempt: Outbox.ActiveAttempt?
        do {
            attempt = try await database.write { connection in
                try outbox.begin(key, alerts, for: sink, at: began, in: connection)
            }
        } catch let error as Outbox.UnreadableAlertError {
            return try await giveUp(error)
        }
        guard let attempt else { return }  // an alert was retracted meanwhile; the caller reads the outbox again
        runtime.failPoints.reach(.posted)
        let stopwatch = Stopwatch(runtime.clock)
        let response = await sink.send(attempt.message, at: began, board: board, by: clients)
        let duration = stopwatch.elapsed
        runtime.failPoints.reach(.delivered)
        // The process ends: whether the message arrived is not known. The next run sends it again.
        if Task.isCancelled, response.outcome != .delivered { return }
        let outcome = outcome(of: response, after: attempt.count)
        await finish(attempt, outcome, response, duration)
        report(attempt, outcome, response)
    }

    private func giveUp(_ unreadable: Outbox.UnreadableAlertError) async throws {
        let now = runtime.wallClock.now()
        try await database.write { try outbox.giveUp(unreadable, at: now, in: $0) }
        runtime.logger.error(
            "an alert is a dead letter, because it cannot be read",
            [.sink: sink.name, .alert: unreadable.alert, .reason: unreadable.reason])
    }

    private func outcome(of response: SinkResponse, after attempts: Int) -> Outbox.Outcome {
        switch response.outcome {
        case .delivered: return .sent
        case .rejected: return .dead
        case .failed(let retryAfter):
            if let retryAfter, retryAfter > .longestRetryAfter {
                runtime.logger.warning(
                    "a sink asks for a pause of more than a day; the worker waits a day",
                    [.sink: sink.name, .after: retryAfter])
            }
            let pause = sink.backoff.pause(after: attempts, retryAfter: retryAfter, fraction: fraction())
            return pause.map { .retry(at: runtime.wallClock.now() + $0.seconds) } ?? .dead
        }
    }

    /// Writes an outcome, and tries again until that works: a message without an outcome would be sent again.
    private func finish(
        _ attempt: Outbox.ActiveAttempt, _ outcome: Outbox.Outcome, _ response: SinkResponse, _ duration: Duration
    ) async {
        await RetryLoop(clock: runtime.clock).run {
            let now = runtime.wallClock.now()
            try await database.write { connection in
                try outbox.finish(
                    attempt, for: sink, as: outcome, response: response, duration: duration, at: now, in: connection)
            }
        } onFailure: { error in
            runtime.logger.error(
                "cannot write the outcome of a delivery; the worker tries again",
                [.sink: sink.name, .messageKey: attempt.message.key, .error: "\(error)"])
        }
    }

    private func report(_ attempt: Outbox.ActiveAttempt, _ outcome: Outbox.Outcome, _ response: SinkResponse) {
        metrics.count(outcome, for: sink.name)
        let logger = runtime.logger.with([.sink: sink.name, .messageKey: attempt.message.key, .attempt: attempt.count])
        switch outcome {
        case .sent: logger.debug("a message is delivered", [.reason: response.text])
        case .retry(let date):
            logger.warning(
                "cannot deliver a message; the worker tries again",
                [.after: Duration.seconds(date.timeIntervalSince(runtime.wallClock.now())), .reason: response.text])
        case .dead:
            logger.error(
                "a message is dead: rejected, or out of attempts; see `marquee notify log --dead`",
                [.reason: response.text])
        }
    }
}

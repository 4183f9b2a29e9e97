import Concurrency
import Contract
import FoundationEssentials
import Operations
import SQLite

/// Takes letters out of the outbox to one sink, in their order, each until it is taken or dead.
///
/// Each sink has a courier of its own, so that a sink that is slow or gone delays no other.
///
/// See docs/decisions/0019-delivery-attempts.md.
struct SinkWorker: Sendable {
    let recipient: ConfiguredSink
    let outbox: Outbox
    let database: Database
    let wakeSignal: WakeSignal
    let logger: Logger
    let metrics: DeliveryMetrics
    let clock: any Clock<Duration>
    let wall: WallClock
    /// Chance, in 0..<1.
    let fraction: @Sendable () -> Double
    var failPoints = FailPoints.none

    /// After how long a courier that waits looks again, whatever it waits for: a clock may have been set.
    private static let patience = Duration.seconds(3_600)

    /// Works until it is stopped or cancelled.
    func run() async {
        await wakeSignal.runLoop(clock) {
            guard let wake = await work() else { return Self.patience }
            return min(.seconds(max(0.001, wake.timeIntervalSince(wall.now()))), Self.patience)
        }
    }

    /// Has `run` return, once the letter in hand has its answer.
    func stop() {
        wakeSignal.stop()
    }

    /// Sends what can be sent now, and returns when to look again; nil when something new comes.
    private func work() async -> Date? {
        while !Task.isCancelled, !wakeSignal.isStopped {
            let now = wall.now()
            do {
                let (waiting, past) = try await database.read { connection in
                    try outbox.waiting(for: recipient, at: now, in: connection)
                }
                switch recipient.timetable.step(waiting, past, at: now) {
                case .rest: return nil
                case .wait(let date): return date
                case .send(let letter, let alerts): try await send(letter, alerts)
                }
            } catch {
                logger.error(
                    "the outbox fails; it will be looked at again", [.sink: recipient.name, .error: "\(error)"])
                return now + 10
            }
        }
        return nil
    }

    private func send(_ key: String, _ alerts: [DeliveryPolicy.Waiting]) async throws {
        let began = wall.now()
        let inHand = try await database.write { connection in
            try outbox.begin(key, alerts, for: recipient, at: began, in: connection)
        }
        guard let inHand else { return }  // what waits has changed, and is looked at again
        failPoints.reach(.posted)
        let stopwatch = Stopwatch(clock)
        let answer = await recipient.sink.send(inHand.letter, at: began).fit(without: recipient.sink.secrets)
        let took = stopwatch.elapsed
        failPoints.reach(.delivered)
        // The process ends: whether it arrived is not known, and it goes out again after the next start.
        if Task.isCancelled, answer.verdict != .taken { return }
        let outcome = outcome(of: answer, after: inHand.attempts)
        await settle(inHand, outcome, answer, took)
        note(inHand, outcome, answer)
    }

    private func outcome(of answer: SinkResponse, after attempts: Int) -> Outbox.Outcome {
        switch answer.verdict {
        case .taken: return .sent
        case .refused: return .dead
        case .failed(let retryAfter):
            let pause = recipient.backoff.pause(after: attempts, asked: retryAfter, fraction: fraction())
            return pause.map { .again(at: wall.now() + $0.seconds) } ?? .dead
        }
    }

    /// Writes an outcome down, however long the disk refuses it: sent again, it would arrive again.
    private func settle(
        _ inHand: Outbox.ActiveAttempt, _ outcome: Outbox.Outcome, _ answer: SinkResponse, _ took: Duration
    ) async {
        await RetryLoop(clock: clock).run {
            let now = wall.now()
            try await database.write { connection in
                try outbox.settle(
                    inHand, for: recipient, as: outcome, answer: answer.text, took: took, at: now, in: connection)
            }
        } onFailure: { error in
            logger.error(
                "an outcome cannot be written; it will be tried again",
                [.sink: recipient.name, .letter: inHand.letter.key, .error: "\(error)"])
        }
    }

    private func note(_ inHand: Outbox.ActiveAttempt, _ outcome: Outbox.Outcome, _ answer: SinkResponse) {
        metrics.count(outcome, for: recipient.name)
        let logger = logger.with([.sink: recipient.name, .letter: inHand.letter.key, .attempt: inHand.attempts])
        switch outcome {
        case .sent: logger.debug("a letter is delivered", [.reason: answer.text])
        case .again(let date):
            logger.warning(
                "a letter was not taken; it will be tried again",
                [.after: Duration.seconds(date.timeIntervalSince(wall.now())), .reason: answer.text])
        case .dead: logger.error("a letter is dead; see `marquee notify log --dead`", [.reason: answer.text])
        }
    }
}

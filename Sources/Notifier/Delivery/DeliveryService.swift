import Concurrency
import Contract
import EventStore
import FoundationEssentials
import Networking
import ServiceRuntime
import Storage

/// Delivers alerts to people: the outbox, and a worker for each sink. A new worker begins when the sink's former one has
/// ended its attempt, so that no message is sent by two; see docs/decisions/reading-the-rule-file-again.md.
final class DeliveryService: Service {
    let outbox: Outbox
    private let board: String?
    private let database: Database
    private let clients = SinkClients()
    private let metrics: DeliveryMetrics
    private let runtime: Runtime
    private let state: Locked<State>
    private let runs: AsyncStream<@Sendable () async -> Void>
    private let addRun: AsyncStream<@Sendable () async -> Void>.Continuation

    private struct State {
        /// The newest worker of each sink, also of sinks that were removed until it has ended.
        var workers: [String: WorkerRun] = [:]
        var isStopping = false
    }

    private struct WorkerRun {
        let worker: SinkWorker
        let hasEnded = AsyncCondition(false)

        func waitForEnd() async {
            await hasEnded.waitIgnoringCancellation { $0 ? () : nil }
        }
    }

    /// Makes the outbox and a worker for each sink; writes and sends nothing yet.
    init(
        to sinks: [ConfiguredSink], board: String?, from database: Database, _ log: EventLog,
        dryRun: (@Sendable (String) -> Void)?, runtime: Runtime
    ) {
        let state = Locked(State())
        let outbox = Outbox(log: log, sinks: [], dryRun: dryRun) { sink in
            state.withLock { $0.workers[sink]?.worker.wakeSignal }?.signal()
        }
        self.state = state
        self.outbox = outbox
        metrics = DeliveryMetrics(runtime.metrics) {
            try await database.read { try outbox.counts(in: $0) }
        }
        self.board = board
        self.database = database
        self.runtime = runtime
        (runs, addRun) = AsyncStream.makeStream()
        replaceSinks(by: sinks, runtime)
    }

    /// Delivers to these sinks from now on. What waits for a sink that is not among them is closed by
    /// ``closeRemovedSinks()``.
    func replaceSinks(by sinks: [ConfiguredSink], _ runtime: Runtime) {
        state.withLock { state in
            guard !state.isStopping else { return }
            metrics.add(sinks.map(\.name))
            outbox.replaceSinks(by: sinks)
            for run in state.workers.values { run.worker.stop() }
            guard outbox.dryRun == nil else { return }
            let former = state.workers
            for sink in sinks {
                let worker = SinkWorker(
                    sink: sink, outbox: outbox, database: database, clients: clients, board: board,
                    wakeSignal: WakeSignal(), metrics: metrics, runtime: runtime, fraction: { .random(in: 0..<1) })
                let run = WorkerRun(worker: worker)
                state.workers[sink.name] = run
                let last = former[sink.name]
                addRun.yield {
                    await last?.waitForEnd()
                    await worker.run()
                    run.hasEnded.update { $0 = true }
                }
            }
        }
    }

    /// Ends the deliveries that wait for sinks that are no longer configured, of a sink whose worker still sends afterwards.
    func closeRemovedSinks() async throws {
        guard outbox.dryRun == nil else { return }
        let configured = Set(outbox.sinks.map(\.name))
        let busy = state.withLock { state in
            state.workers.filter { !configured.contains($0.key) && !$0.value.hasEnded.read(\.self) }
        }
        let now = runtime.wallClock.now()
        try await database.write { [outbox] in
            try outbox.closeRemovedSinks(except: Set(busy.keys), at: now, in: $0)
        }
        for run in busy.values {
            addRun.yield { [self] in
                await run.waitForEnd()
                guard !state.withLock(\.isStopping) else { return }
                // A failure of the database leaves the rows to the next start.
                try? await closeRemovedSinks()
            }
        }
    }

    func run() async throws {
        await withDiscardingTaskGroup { tasks in
            for await run in runs { tasks.addTask(operation: run) }
        }
        await clients.shutdown()
    }

    func stop() async {
        let workers = state.withLock { state in
            state.isStopping = true
            return state.workers.values.map(\.worker)
        }
        for worker in workers { worker.stop() }
        addRun.finish()
    }
}

struct DeliveryMetrics: Sendable {
    private struct Counts {
        var sent = 0.0
        var failed = 0.0
        var dead = 0.0
    }

    private let counts = Locked<[String: Counts]>([:])

    init(_ metrics: Metrics, deliveries: @escaping @Sendable () async throws -> [String: SinkCounts]) {
        func count(_ name: StaticString, _ help: StaticString, _ value: @escaping @Sendable (Counts) -> Double) {
            metrics.counters(name, help, by: "sink") { [counts] in counts.withLock { $0.mapValues(value) } }
        }
        count("marquee_messages_sent_total", "Messages that the sink accepted.") { $0.sent }
        count("marquee_messages_failed_total", "Failed attempts to deliver a message that will be retried.") {
            $0.failed
        }
        count("marquee_messages_dead_total", "Messages given up: rejected by the sink, or out of attempts.") { $0.dead }
        metrics.gauges("marquee_deliveries_waiting", "Alerts waiting to be delivered.", by: "sink") {
            try await deliveries().mapValues { Double($0.waiting) }
        }
        metrics.gauges(
            "marquee_deliveries_dead", "Alerts in dead letters; `marquee notify retry` sends them again.", by: "sink"
        ) {
            try await deliveries().mapValues { Double($0.dead) }
        }
    }

    /// Adds zeros for sinks that are new.
    func add(_ sinks: [String]) {
        counts.withLock { $0.merge(sinks.map { ($0, Counts()) }) { former, _ in former } }
    }

    func count(_ outcome: Outbox.Outcome, for sink: String) {
        counts.withLock { counts in
            switch outcome {
            case .sent: counts[sink, default: Counts()].sent += 1
            case .retry: counts[sink, default: Counts()].failed += 1
            case .dead: counts[sink, default: Counts()].dead += 1
            }
        }
    }
}

/// Sends the messages of the outbox to one sink, in their order, each until it is delivered or dead; see
/// docs/decisions/delivery-attempts.md.
struct SinkWorker: Sendable {
    let sink: ConfiguredSink
    let outbox: Outbox
    let database: Database
    let clients: SinkClients
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

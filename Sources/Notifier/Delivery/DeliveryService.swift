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
        /// The newest worker of each sink, also of sinks that were removed.
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

    /// Delivers to these sinks from now on. What waits for a sink that is not among them becomes dead letters when its
    /// worker has ended.
    func replaceSinks(by sinks: [ConfiguredSink], _ runtime: Runtime) {
        state.withLock { state in
            guard !state.isStopping else { return }
            metrics.add(sinks.map(\.name))
            outbox.replaceSinks(by: sinks)
            guard outbox.dryRun == nil else { return }
            let former = state.workers
            for run in former.values { run.worker.stop() }
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
            for (name, run) in former where !sinks.contains(where: { $0.name == name }) {
                addRun.yield { [self] in
                    await run.waitForEnd()
                    // A failure of the database leaves the rows to the next start.
                    try? await closeRemovedSinks(name)
                }
            }
        }
    }

    /// Ends the deliveries that wait for sinks, or for the one of this name, that are not configured.
    func closeRemovedSinks(_ name: String? = nil) async throws {
        guard outbox.dryRun == nil else { return }
        let now = runtime.wallClock.now()
        try await database.write { [outbox] in try outbox.closeRemovedSinks(name, at: now, in: $0) }
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
    /// The ends of attempts by their outcome; one that is tried again is `waiting`.
    private let counts = Locked<[Outbox.State: [String: Double]]>([.sent: [:], .waiting: [:], .dead: [:]])

    init(_ metrics: Metrics, deliveries: @escaping @Sendable () async throws -> [String: SinkCounts]) {
        for (outcome, name, help): (Outbox.State, StaticString, StaticString) in [
            (.sent, "marquee_messages_sent_total", "Messages that the sink accepted."),
            (
                .waiting, "marquee_messages_failed_total",
                "Failed attempts to deliver a message that will be retried."
            ),
            (
                .dead, "marquee_messages_dead_total",
                "Messages given up: rejected by the sink, or out of attempts."
            ),
        ] {
            metrics.counters(name, help, by: "sink") { [counts] in counts.withLock { $0[outcome] ?? [:] } }
        }
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
        counts.withLock { counts in
            for outcome in counts.keys {
                for sink in sinks { counts[outcome]?[sink, default: 0] += 0 }
            }
        }
    }

    func count(_ outcome: Outbox.State, for sink: String) {
        counts.withLock { $0[outcome]?[sink, default: 0] += 1 }
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
        let attempt = try await database.write { connection in
            try outbox.begin(key, alerts, for: sink, at: began, in: connection) { alert in
                runtime.logger.error(
                    "an alert is a dead letter, because it cannot be read", [.sink: sink.name, .alert: alert])
            }
        }
        guard let attempt else { return }  // the caller reads the outbox again
        runtime.failPoints.reach(.posted)
        let stopwatch = Stopwatch(runtime.clock)
        let response = await sink.send(attempt.message, at: began, board: board, by: clients)
        let duration = stopwatch.elapsed
        runtime.failPoints.reach(.delivered)
        // The process ends: whether the message arrived is not known. The next run sends it again.
        if Task.isCancelled, response.outcome != .delivered { return }
        var (state, pause) = (response.outcome == .delivered ? Outbox.State.sent : .dead, Duration?.none)
        if case .failed(let retryAfter) = response.outcome {
            pause = sink.backoff.pause(after: attempt.count, retryAfter: retryAfter, fraction: fraction())
            if pause != nil { state = .waiting }
        }
        await finish(attempt, state, pause, response, duration)
        report(attempt, state, pause, response)
    }

    /// Writes an outcome, and tries again until that works: a message without an outcome would be sent again.
    private func finish(
        _ attempt: Outbox.ActiveAttempt, _ state: Outbox.State, _ pause: Duration?, _ response: SinkResponse,
        _ duration: Duration
    ) async {
        let now = runtime.wallClock.now()
        await RetryLoop(clock: runtime.clock).run {
            try await database.write { connection in
                try outbox.finish(
                    attempt, for: sink, as: state, dueAt: pause.map { now + $0.seconds }, response: response,
                    duration: duration, at: now, in: connection)
            }
        } onFailure: { error in
            runtime.logger.error(
                "cannot write the outcome of a delivery; the worker tries again",
                [.sink: sink.name, .messageKey: attempt.message.key, .error: "\(error)"])
        }
    }

    private func report(
        _ attempt: Outbox.ActiveAttempt, _ state: Outbox.State, _ pause: Duration?, _ response: SinkResponse
    ) {
        metrics.count(state, for: sink.name)
        let logger = runtime.logger.with([.sink: sink.name, .messageKey: attempt.message.key, .attempt: attempt.count])
        if let pause {
            logger.warning(
                "cannot deliver a message; the worker tries again", [.after: pause, .reason: response.text])
        } else if state == .sent {
            logger.debug("a message is delivered", [.reason: response.text])
        } else {
            logger.error(
                "a message is dead: rejected, or out of attempts; see `marquee notify log --dead`",
                [.reason: response.text])
        }
    }
}
